/** The style of all pages: the system's fonts, light or dark as the reader has it, readable at any size. */
export const styleSheet = `:root {
  color-scheme: light dark;
  --paper: light-dark(#fbfaf8, #16181b);
  --sheet: light-dark(#ffffff, #1f2226);
  --ink: light-dark(#1d2025, #e8e6e2);
  --quiet: light-dark(#5d6470, #a3a8b1);
  --line: light-dark(#d9d6cf, #3a3f46);
  --accent: light-dark(#8a4b12, #e0a36a);
  --alarm: light-dark(#a3221f, #ff9a90);
}
* { box-sizing: border-box }
body { display: flow-root; margin: 0; min-height: 100vh; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
a { color: var(--accent) }
.card { max-width: 24rem; margin: 12vh auto 0; padding: 2rem; background: var(--sheet); border: 1px solid var(--line); border-radius: .75rem }
.card h1 { margin: 0 0 1rem; font-size: 1.35rem; line-height: 1.25 }
.card label { display: block; margin: 1rem 0 .25rem; color: var(--quiet); font-size: .9rem }
.card input:not([type=checkbox]):not([type=hidden]) { width: 100%; padding: .55rem .7rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: .4rem }
.card .choice { display: flex; gap: .5rem; align-items: center }
.card button { margin-top: 1.25rem; width: 100%; padding: .6rem; font: inherit; font-weight: 600; color: var(--sheet); background: var(--accent); border: 0; border-radius: .4rem; cursor: pointer }
.card button.second { margin-top: .6rem; color: var(--accent); background: none; border: 1px solid currentColor }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.card .picture { display: block; width: 12rem; margin: 0 auto; background: #fff }
.card code { overflow-wrap: anywhere }
.problem { margin: 0 0 1rem; padding: .6rem .8rem; color: var(--alarm); border: 1px solid currentColor; border-radius: .4rem }
@media (max-width: 28rem) { .card { margin: 0; border: 0; border-radius: 0; min-height: 100vh } }
`
