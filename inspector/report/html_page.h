// The parts of the HTML report's page, compiled in from html_page/.
#pragma once

namespace et::inspector {

extern const char* const kHtmlPage;  // with the marks %CSS%, %DATA% and %JS%
extern const char* const kHtmlStyle;
extern const char* const kHtmlScript;

}  // namespace et::inspector
