#include "tests/gui/ui/cut_text.h"

#include <algorithm>

#include "imgui_internal.h"

namespace et::gui::test {
namespace {

struct Quad {
  ImVec2 min, max;
};

/// Four corners with four different places in the texture are a glyph; lines and fills have one place, or one row.
bool glyph_of(const ImDrawList& list, const ImDrawCmd& cmd, unsigned index, Quad* out) {
  const ImDrawVert* v[4];
  const unsigned order[4] = {0, 1, 2, 5};
  for (int k = 0; k < 4; ++k) {
    const unsigned at = cmd.VtxOffset + list.IdxBuffer[static_cast<int>(cmd.IdxOffset + index + order[k])];
    v[k] = &list.VtxBuffer[static_cast<int>(at)];
  }
  const bool box = v[0]->pos.y == v[1]->pos.y && v[2]->pos.y == v[3]->pos.y && v[0]->pos.x == v[3]->pos.x &&
                   v[1]->pos.x == v[2]->pos.x;
  const bool textured =
      v[0]->uv.x < v[2]->uv.x && v[0]->uv.y < v[2]->uv.y && v[0]->uv.y == v[1]->uv.y && v[0]->uv.x == v[3]->uv.x;
  if (!box || !textured) return false;
  *out = {v[0]->pos, v[2]->pos};
  return true;
}

}  // namespace

std::vector<CutText> cut_texts(float tolerance) {
  std::vector<CutText> out;
  const ImDrawData* data = ImGui::GetDrawData();
  for (int l = 0; data != nullptr && l < data->CmdListsCount; ++l) {
    const ImDrawList& list = *data->CmdLists[l];
    for (const ImDrawCmd& cmd : list.CmdBuffer) {
      for (unsigned i = 0; i + 6 <= cmd.ElemCount;) {
        Quad q;
        if (!glyph_of(list, cmd, i, &q)) {
          i += 3;
          continue;
        }
        i += 6;
        // What lies above or below is scrolled away.
        if (q.max.y <= cmd.ClipRect.y || q.min.y >= cmd.ClipRect.w) continue;
        const float right = q.max.x - cmd.ClipRect.z, left = cmd.ClipRect.x - q.min.x;
        if (right > tolerance && q.min.x < cmd.ClipRect.z) out.push_back({list._OwnerName, q.min, right, true});
        if (left > tolerance && q.max.x > cmd.ClipRect.x) out.push_back({list._OwnerName, q.min, left, false});
      }
    }
  }
  return out;
}

}  // namespace et::gui::test
