// SPDX-License-Identifier: Apache-2.0
// Colours: dark enough on the light ground and light enough on the dark one (4.5 : 1), and told apart
// with any kind of colour vision (after Okabe and Ito).
#include <emgnn/report/page.h>

namespace emgnn {

const char* const kThemeStyle = R"css(
:root { color-scheme: light dark;
  --ground: #fcfcfa; --text: #1d2125; --soft: #5a6168; --line: #dcded9; --shade: #f2f3ef; --link: #0b5394;
  --c0: #8a9097; --c1: #1766a6; --c2: #c4511a; --c3: #00806a; --c4: #96499a; --c5: #8f6a00; --c6: #3a8fc9; --c7: #7a3b2e; --c8: #4d5b9e;
  --on: #ffffff; --warn: #a33b00; }
@media (prefers-color-scheme: dark) { :root {
  --ground: #15181b; --text: #e6e8ea; --soft: #a3abb3; --line: #343a40; --shade: #1e2226; --link: #84bdf2;
  --c0: #7f878f; --c1: #62b0ea; --c2: #f0935a; --c3: #43c2a8; --c4: #d699da; --c5: #dcb74a; --c6: #9cd0f2; --c7: #d9a093; --c8: #a9b5f2;
  --on: #101315; --warn: #ffb27d; } }
)css";

const char* const kPageStyle = R"css(
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0 auto; padding: 1.2rem 1rem 3rem; max-width: 68rem; background: var(--ground); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: .6rem 0 .8rem; letter-spacing: -.01em; }
h2 { font-size: 1.3rem; line-height: 1.3; margin: 2rem 0 .4rem; }
h3 { font-size: 1.15rem; margin: 2.2rem 0 .5rem; padding-top: .9rem; border-top: 1px solid var(--line); }
h4 { font-size: 1rem; margin: 1.6rem 0 .4rem; }
h2 small { font-weight: 400; font-size: .85rem; color: var(--soft); margin-left: .4rem; }
p { margin: .5rem 0; max-width: 46rem; }
a { color: var(--link); }
.lead { font-size: 1.12rem; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--ground); padding: .4rem .8rem; z-index: 1; }
:focus-visible { outline: 3px solid var(--c1); outline-offset: 2px; }
main:focus { outline: none; }
nav ul { display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; list-style: none; padding: 0; margin: 1rem 0 0; }
nav a { display: inline-block; padding: .25rem 0; }
.facts { display: flex; flex-wrap: wrap; gap: .8rem 2.4rem; margin: 1.2rem 0 .6rem; }
.facts div { display: flex; flex-direction: column-reverse; }
.facts dt { font-size: .85rem; color: var(--soft); }
.facts dd { margin: 0; font-size: 1.5rem; font-weight: 600; line-height: 1.2; font-variant-numeric: tabular-nums; letter-spacing: -.01em; }
.facts dd small { font-size: .95rem; font-weight: 400; color: var(--soft); }
.tables { display: flex; flex-wrap: wrap; gap: 0 3rem; } .tables .scroll { min-width: 0; } .tables td { white-space: nowrap; }
section[aria-labelledby$="scores"] tbody th { min-width: 8rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 21rem), 1fr)); gap: 1.4rem 2rem; margin: 1rem 0; }
figure { margin: 0; max-width: 33rem; min-width: 0; }
figcaption { font-weight: 600; }
svg { display: block; width: 100%; height: auto; margin: .3rem 0; }
)css";

const char* const kDrawingStyle = R"css(
rect { shape-rendering: crispEdges; }
svg text { font-size: 12px; fill: var(--soft); font-variant-numeric: tabular-nums; }
svg text.title { fill: var(--text); }
svg text.on { fill: var(--on); }
svg text.halo { fill: var(--text); paint-order: stroke; stroke: var(--ground); stroke-width: 6px; stroke-linejoin: round; }
.grid { stroke: var(--line); stroke-width: 1; } .axis { stroke: var(--soft); stroke-width: 1; }
.frame { fill: none; stroke: var(--soft); } .dim { fill: var(--c0); }
polyline { fill: none; stroke-width: 2; stroke-linejoin: round; }
.mark { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 1 4; }
.diagonal { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 5 4; }
.prior { stroke: var(--text); stroke-width: 1.5; stroke-dasharray: 5 3; fill: none; }
.thin { stroke-width: 1; opacity: .4; } .faint { opacity: .3; } .wide { stroke-width: 3; stroke-linecap: round; } .dashed { stroke-dasharray: 6 4; }
.dot { fill: none; stroke-width: 4; }
.node { stroke: var(--ground); stroke-width: 2; }
.edge { stroke: var(--soft); opacity: .75; } .edge.wanted { stroke-dasharray: 5 4; stroke: var(--c2); }
.f0 { fill: var(--c0); } .f1 { fill: var(--c1); } .f2 { fill: var(--c2); } .f3 { fill: var(--c3); } .f4 { fill: var(--c4); }
.f5 { fill: var(--c5); } .f6 { fill: var(--c6); } .f7 { fill: var(--c7); } .f8 { fill: var(--c8); }
.l0 { stroke: var(--c0); } .l1 { stroke: var(--c1); } .l2 { stroke: var(--c2); } .l3 { stroke: var(--c3); } .l4 { stroke: var(--c4); }
.l5 { stroke: var(--c5); } .l6 { stroke: var(--c6); } .l7 { stroke: var(--c7); } .l8 { stroke: var(--c8); }
polyline.l3, polyline.l7 { stroke-dasharray: 9 3; } polyline.l4, polyline.l8 { stroke-dasharray: 3 3; } polyline.l5 { stroke-dasharray: 9 3 2 3; }
)css";

const char* const kPartStyle = R"css(
.legend { display: flex; flex-wrap: wrap; gap: .1rem 1rem; list-style: none; margin: .15rem 0 0; padding: 0; font-size: .85rem; color: var(--soft); }
.key { display: inline-block; width: .9em; height: .9em; margin-right: .4em; vertical-align: -.08em; border-radius: 2px; }
.key[class*=" m"] { border-radius: 50%; }
.key[class*=" l"], .key.wanted, .key.prior, .key.diagonal, .key.mark { width: 1.4em; height: 0; vertical-align: .3em; border-radius: 0; border-top: 2px solid; }
.key.prior { border-top: 2px dashed var(--text); } .key.wanted { border-top: 2px dashed var(--c2); } .key.diagonal { border-top: 1px dashed var(--soft); } .key.mark { border-top: 2px dotted var(--soft); }
.key.bar { width: 3px; height: 1.1em; background: var(--c2); }
.key.f1, .key.m1 { background: var(--c1); } .key.f2, .key.m2 { background: var(--c2); } .key.m0 { background: var(--c0); } .key.m3 { background: var(--c3); }
.key.m4 { background: var(--c4); } .key.m5 { background: var(--c5); } .key.m6 { background: var(--c6); } .key.m7 { background: var(--c7); } .key.m8 { background: var(--c8); }
.key.l0 { border-color: var(--c0); } .key.l1 { border-color: var(--c1); } .key.l2 { border-color: var(--c2); } .key.l3 { border-color: var(--c3); } .key.l4 { border-color: var(--c4); }
.key.l5 { border-color: var(--c5); } .key.l6 { border-color: var(--c6); } .key.l7 { border-color: var(--c7); } .key.l8 { border-color: var(--c8); }
.key.l3, .key.l5, .key.l7 { border-top-style: dashed; } .key.l4, .key.l8 { border-top-style: dotted; }
.scroll { overflow-x: auto; margin: .8rem 0; }
table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .2rem 0 .4rem; min-width: 16rem; max-width: calc(100vw - 2rem); }
th, td { padding: .28rem .8rem .28rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); overflow-wrap: normal; }
thead th { color: var(--soft); font-weight: 600; border-bottom-color: var(--soft); }
tbody th { font-weight: 400; }
.n { text-align: right; white-space: nowrap; }
td:last-child, th:last-child { padding-right: .2rem; }
details { margin: .4rem 0; }
summary { cursor: pointer; color: var(--link); padding: .2rem 0; width: fit-content; font-size: .9rem; }
details.run { border-top: 2px solid var(--line); margin-top: 1.6rem; }
details.run > summary { color: var(--text); } details.run > summary h2 { display: inline-block; margin: .8rem 0; }
pre { background: var(--shade); padding: .7rem .9rem; overflow-x: auto; font-size: .82rem; line-height: 1.5; border-radius: 4px; max-height: 30rem; }
code { font-size: .92em; background: var(--shade); padding: .05em .3em; border-radius: 3px; }
.verdict { padding-left: 1.2rem; max-width: 46rem; } .verdict li { margin: .3rem 0; }
.warning { color: var(--warn); font-weight: 600; }
select { font: inherit; max-width: 100%; padding: .25rem .4rem; color: inherit; background: var(--ground); border: 1px solid var(--soft); border-radius: 4px; }
footer { margin-top: 3rem; color: var(--soft); font-size: .85rem; }
@media print { details > :not(summary) { display: block; } nav, .skip { display: none; } figure { break-inside: avoid; } }
)css";

// A list that chooses one of several drawings, and links that open what they lead to.
const char* const kPageScript = R"js(
for (const list of document.querySelectorAll("select[data-chooser]")) {
  const parts = document.querySelectorAll('[data-of="' + list.dataset.chooser + '"]');
  const show = () => parts.forEach(part => { part.hidden = part.id !== list.value; });
  list.addEventListener("change", show);
  list.closest(".choice").hidden = false;
  show();
}
const open = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  if (target) target.scrollIntoView();
};
window.addEventListener("hashchange", open);
if (location.hash) open();
)js";

}  // namespace emgnn
