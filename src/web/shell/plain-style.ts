/** The style sheet of all pages: system fonts, light and dark colours, readable at any size. */
export const styleSheet = `:root {
  color-scheme: light dark;
  --paper: light-dark(#fbfaf8, #16181b);
  --sheet: light-dark(#ffffff, #1f2226);
  --ink: light-dark(#1d2025, #e8e6e2);
  --quiet: light-dark(#5d6470, #a3a8b1);
  --line: light-dark(#d9d6cf, #3a3f46);
  --edge: light-dark(#8b8f97, #7d838c);
  --accent: light-dark(#8a4b12, #e0a36a);
  --alarm: light-dark(#a3221f, #ff9a90);
  --good: light-dark(#1f6b3a, #8fd6a5);
}
* { box-sizing: border-box }
body { display: flow-root; margin: 0; min-height: 100vh; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: break-word }
a { color: var(--accent) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
[hidden] { display: none !important }

.site { max-width: 60rem; margin: 0 auto; padding: 1rem 1.5rem }
.site a { color: inherit; font-weight: 600; text-decoration: none }
.site a:hover { text-decoration: underline }

h1 { margin: 0 0 1rem; font-size: 1.35rem; line-height: 1.25 }
h2 { margin: 0 0 .5rem; font-size: 1.1rem; line-height: 1.3 }
label, legend { display: block; margin: 1rem 0 .25rem; padding: 0; font-size: .95rem; font-weight: 600 }
input:not([type=checkbox]):not([type=radio]):not([type=hidden]) { width: 100%; padding: .55rem .7rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--edge); border-radius: .4rem }
input[aria-invalid=true] { border-color: var(--alarm) }
fieldset { margin: 0; padding: 0; border: 0; min-width: 0 }
label.choice { display: flex; gap: .5rem; align-items: center; font-weight: 400 }
.choice input { width: 1.15rem; height: 1.15rem; margin: 0; accent-color: var(--accent) }
.hint, .quiet { color: var(--quiet); font-size: .9rem }
.hint { margin: .25rem 0 0 }
.wrong { margin: .25rem 0 0; color: var(--alarm); font-size: .9rem }
button { padding: .6rem 1rem; font: inherit; font-weight: 600; color: var(--sheet); background: var(--accent); border: 1px solid var(--accent); border-radius: .4rem; cursor: pointer }
a.button { display: block; margin-top: .75rem; padding: .6rem 1rem; font-weight: 600; text-align: center; text-decoration: none; border: 1px solid currentColor; border-radius: .4rem }
button.second { color: var(--accent); background: none; border-color: currentColor }
button:hover { filter: brightness(1.1) }
button:disabled { opacity: .6; cursor: default }
code { overflow-wrap: anywhere }
.problem, .done { margin: 0 0 1rem; padding: .6rem .8rem; border: 1px solid currentColor; border-radius: .4rem }
.problem { color: var(--alarm) }
.done { color: var(--good) }

.card { max-width: 26rem; margin: 6vh auto 2rem; padding: 2rem; background: var(--sheet); border: 1px solid var(--line); border-radius: .75rem }
.card button { margin-top: 1.25rem; width: 100% }
.card button.second { margin-top: .6rem }
.card .picture { display: block; width: 12rem; margin: 0 auto; background: #fff }
.card > :last-child, .card form > :last-child, .sheet > :last-child { margin-bottom: 0 }
.or { display: flex; gap: .75rem; align-items: center; margin: 1.5rem 0 0; color: var(--quiet); font-size: .9rem }
.or::before, .or::after { content: ''; flex: 1; border-top: 1px solid var(--line) }

.settings { display: grid; grid-template-columns: 12rem minmax(0, 1fr); gap: 2rem; max-width: 60rem; margin: 1rem auto 3rem; padding: 0 1.5rem }
.settings > nav ul { margin: 0; padding: 0; list-style: none }
.settings > nav a { display: block; padding: .4rem .75rem; border-radius: .4rem; color: inherit; text-decoration: none }
.settings > nav a:hover { text-decoration: underline }
.settings > nav a[aria-current] { background: var(--sheet); box-shadow: inset 0 0 0 1px var(--line); font-weight: 600 }
.sheet { margin: 0 0 1.5rem; padding: 1.5rem; background: var(--sheet); border: 1px solid var(--line); border-radius: .75rem }
.sheet form { max-width: 26rem }
.sheet form > button { margin-top: 1.25rem }
.list { margin: 0; padding: 0; list-style: none }
.list > li { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; justify-content: space-between; padding: .75rem 0; border-top: 1px solid var(--line) }
.list > li:first-child { border-top: 0 }
.list p { margin: 0 }
.list .acts { display: flex; flex-wrap: wrap; gap: .5rem }
.list button { margin: 0; padding: .35rem .75rem; font-size: .9rem }
.tag { display: inline-block; padding: 0 .5rem; color: var(--quiet); border: 1px solid currentColor; border-radius: 1rem; font-size: .8rem; font-weight: 400; white-space: nowrap }
@media (max-width: 44rem) {
  .settings { display: block; padding: 0 1rem }
  .settings > nav ul { display: flex; flex-wrap: wrap; gap: .25rem; margin: 0 0 1.25rem }
}
@media (max-width: 30rem) {
  .site { padding: 1rem }
  .card { margin: 0; border-width: 1px 0; border-radius: 0; padding: 1.5rem 1rem }
  .settings { padding: 0 }
  .settings > nav, .settings main > h1 { padding: 0 1rem }
  .sheet { padding: 1.25rem 1rem; border-width: 1px 0; border-radius: 0 }
}
`
