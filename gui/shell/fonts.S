# The fonts of the window, as they come with the sources of Dear ImGui Bundle (see THIRD_PARTY.md).
  .section .rodata
  .global et_font_text, et_font_text_end, et_font_bold, et_font_bold_end, et_font_mono, et_font_mono_end
  .balign 16
et_font_text:
  .incbin ET_FONT_TEXT
et_font_text_end:
  .balign 16
et_font_bold:
  .incbin ET_FONT_BOLD
et_font_bold_end:
  .balign 16
et_font_mono:
  .incbin ET_FONT_MONO
et_font_mono_end:
  .section .note.GNU-stack,"",%progbits
