#include "tests/gui/ui/color_vision.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace et::gui::test {
namespace {

// Of linear sRGB, at full severity: Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of
// Color Vision Deficiency", 2009.
constexpr double kMatrices[4][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
    {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}};
// Linear sRGB to XYZ, and the white of D65.
constexpr double kXyz[3][3] = {
    {0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}};
constexpr double kWhite[3] = {0.95047, 1, 1.08883};

void multiply(const double (&matrix)[3][3], const double (&in)[3], double (&out)[3]) {
  for (int row = 0; row < 3; ++row) {
    out[row] = 0;
    for (int column = 0; column < 3; ++column) out[row] += matrix[row][column] * in[column];
  }
}

void to_lab(ImU32 color, Vision vision, double (&lab)[3]) {
  double linear[3], seen[3], xyz[3], f[3];
  int at = 0;
  for (const int shift : {IM_COL32_R_SHIFT, IM_COL32_G_SHIFT, IM_COL32_B_SHIFT}) {
    const double c = static_cast<double>((color >> shift) & 255) / 255;
    linear[at++] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  multiply(kMatrices[static_cast<int>(vision)], linear, seen);
  for (double& c : seen) c = std::clamp(c, 0.0, 1.0);
  multiply(kXyz, seen, xyz);
  for (int i = 0; i < 3; ++i) {
    const double x = xyz[i] / kWhite[i];
    f[i] = x > 0.008856 ? std::cbrt(x) : 7.787 * x + 16.0 / 116;
  }
  lab[0] = 116 * f[1] - 16;
  lab[1] = 500 * (f[0] - f[1]);
  lab[2] = 200 * (f[1] - f[2]);
}

double radians(double degrees) { return degrees * std::numbers::pi / 180; }
double hue(double a, double b) {
  if (a == 0 && b == 0) return 0;
  const double degrees = std::atan2(b, a) * 180 / std::numbers::pi;
  return degrees < 0 ? degrees + 360 : degrees;
}

}  // namespace

double ciede2000(const double (&x)[3], const double (&y)[3]) {
  const double mean_c = (std::hypot(x[1], x[2]) + std::hypot(y[1], y[2])) / 2, c7 = std::pow(mean_c, 7);
  const double g = 0.5 * (1 - std::sqrt(c7 / (c7 + std::pow(25.0, 7))));
  const double a1 = x[1] * (1 + g), a2 = y[1] * (1 + g);
  const double c1 = std::hypot(a1, x[2]), c2 = std::hypot(a2, y[2]);
  const double h1 = hue(a1, x[2]), h2 = hue(a2, y[2]);
  const bool grey = c1 * c2 == 0;
  double turn = grey ? 0 : h2 - h1;
  if (turn > 180) turn -= 360;
  if (turn < -180) turn += 360;
  const double light = y[0] - x[0], chroma = c2 - c1;
  const double tone = 2 * std::sqrt(c1 * c2) * std::sin(radians(turn / 2));
  const double l = (x[0] + y[0]) / 2, c = (c1 + c2) / 2;
  double h = h1 + h2;
  if (!grey) {
    if (std::abs(h1 - h2) > 180) h += h < 360 ? 360 : -360;
    h /= 2;
  }
  const double t = 1 - 0.17 * std::cos(radians(h - 30)) + 0.24 * std::cos(radians(2 * h)) +
                   0.32 * std::cos(radians(3 * h + 6)) - 0.2 * std::cos(radians(4 * h - 63));
  const double bend = 30 * std::exp(-std::pow((h - 275) / 25, 2));
  const double p7 = std::pow(c, 7), rc = 2 * std::sqrt(p7 / (p7 + std::pow(25.0, 7)));
  const double sl = 1 + 0.015 * std::pow(l - 50, 2) / std::sqrt(20 + std::pow(l - 50, 2));
  const double sc = 1 + 0.045 * c, sh = 1 + 0.015 * c * t, rt = -std::sin(radians(2 * bend)) * rc;
  return std::sqrt(std::pow(light / sl, 2) + std::pow(chroma / sc, 2) + std::pow(tone / sh, 2) +
                   rt * (chroma / sc) * (tone / sh));
}

double distance_seen(ImU32 a, ImU32 b, Vision vision) {
  double x[3], y[3];
  to_lab(a, vision, x);
  to_lab(b, vision, y);
  return ciede2000(x, y);
}

}  // namespace et::gui::test
