/**
 * The script of all pages. It adds to pages that work without it; nothing here decides what a person may do.
 *
 * Turbo follows links and sends forms. A form answers 303 after a success and 422 (or another 4xx) with the page when it
 * is shown again. `data-turbo="false"` on a link or form leaves it to the browser: needed for forms that lead to another
 * site, and for downloads whose address does not look like a file.
 *
 * | markup | effect |
 * |---|---|
 * | `<relative-time datetime="…">exact time</relative-time>` | shows the time relative to now |
 * | `data-hotkey="g i"` on a link, button or field | the keys click or focus it: `c`, `g i` (one after the other), `Mod+k`, `a,b` (either) |
 * | `data-opens="shortcuts"` on a button or link | opens `<dialog id="shortcuts">`; a click beside a dialog closes it |
 * | `<dialog id="palette" data-url="/-/palette">` with an input and a `role="listbox"` | command palette: the address answers `?q=&from=` with links, each `role="option"` |
 * | `<dialog id="finder" data-url="…" data-open-in="…">` with an input and a `role="listbox"` | finder of files: `data-url` answers `{ paths, isWhole }`, and a path is opened below `data-open-in` |
 * | `data-inbox` around a list and `<turbo-frame data-turbo-permanent disabled>` | on a wide window, the links of rows with `data-turbo-frame` open in the frame, which is enabled for it (`inbox.ts`) |
 * | `<details class="menu">` | closes on Escape and clicks elsewhere; arrow keys move in it; `autofocus` takes the focus when it opens |
 * | `data-save-on-close` on a form of choices in such a menu | is sent when the menu closes and a choice has changed; Escape takes the changes back |
 * | `data-filter-list="#id"` on an input | hides children of the list that lack the text; `data-filter-keep` stays, `data-filter-empty` shows when nothing is left |
 * | `data-copy="text"`, `data-copy-from="#id"`, `data-copy-url="/path"` on a button | copies the text, the text of an element, or the text at an address; the button has `data-copied="yes"` (or `no`) for two seconds |
 * | `data-confirm="Question?"` on a form or submit button | asks first, in a dialog made from `<template id="confirm-dialog">` (`<dialog>` with `<form method="dialog">`, `[data-question]`, `<button value="yes">`); `data-confirm-act` is the text of that button |
 * | submit buttons | disabled, with `aria-busy="true"`, while the form is sent |
 * | forms without an answer | get the notice in `<template id="unsent">`, whose button sends them again; pages and frames get that in `<template id="unloaded">` (`sending.ts`) |
 * | `data-autosubmit` on a select or input | sends its form when it changes; a `<noscript>` button does so without scripts |
 * | `data-rows` on a list | `j`/`k` move the focus over the links of its children (`data-row-link`, or else the first link), `x` ticks the checkbox of the row. Without the focus in a row, that of the link with `aria-current` counts. Inside `data-rows-group` the lists are one. `data-row-key="e"` on a button of a row, or of the group for ticked rows, is clicked by this key |
 * | `form[data-selecting="name"]` around boxes with this name | `[data-selected]` shows how many are ticked, `[data-select-all]` ticks those of the page, and the box `[data-all="812"]` stands for this many of a search |
 * | `data-lines` around lines with ids `L1`, `L2` … and links to them | marks the lines of the address (`#L10-L20`) with `is-marked`; Shift and a click, or a drag over numbers, extend the range; the ids may have a prefix (`diff-3-R1`). A link with `data-line-key` in the range gets the range as `line=`. `data-first-line="L7"` names the line that an opened page shows |
 * | `data-changes` around the files of a difference | the buttons of `[data-change-keys]`, with `data-change-act` and `data-hotkey`, move the focus by files, changes and conversations, extend the marked lines, comment, suggest and mark as viewed; `data-none` is said in `[data-change-status]` when there is nothing further. Arrow keys move from line to line |
 * | `data-compare` around the images of a file | `[data-compare-mode]` buttons lay one image over the other: `swipe` shows a part of each, `overlay` a mixture, by the range |
 * | `data-suggest` on a button of a line comment | puts a suggestion with the lines of the comment into its text; `data-problem` is said in `[data-suggest-problem]` when they are not shown in full |
 * | `data-board="/path"` around `[data-column]` with `.board-card[data-card]` | cards are moved by dragging, and by Shift with arrow keys: the address takes `issue`, `column`, `from`, `after` and `_csrf` (`boards.ts`); `[data-board-status]` says where a card is, `[data-board-problem]` why it is back |
 * | `data-quote` on a button in `.comment-frame` | adds the text of the comment, or what is selected of it, as a quotation to the form of an answer; outside of comments it is about the one with the selection or the focus |
 * | fields of a form with a text area | Ctrl or Command and Enter send the form with its primary button, or else the last one |
 * | `data-live="/path"` | renders Turbo streams from the event stream at this address while the page is shown |
 * | `data-refresh-seconds="3"` | loads the page again in this interval while it is shown (`refreshSeconds` of a page's `meta` does so without scripts too) |
 * | `data-completes="list"` on a field in an element with `data-candidates-url` | the items of its list are completed: the address answers `?list=&q=` with the same answers as a `<text-expander>` gets (`completing.ts`) |
 * | `<text-expander keys="@ # :" data-url="…">` around a text area | completion: the address answers `?key=&q=` with `<ul role="listbox" class="suggestions">` of `<li role="option" data-value="@ada">`, or with nothing |
 * | `<input data-names-url="…" list="id">` | completion of people's names by the same answers, in `<datalist id>`; with `data-names-key="#"` of issues |
 * | `<markdown-toolbar for="id">` with `<md-bold>` … | buttons for Markdown |
 * | `textarea[data-markdown]` | pasted tables and links become Markdown |
 * | `textarea` in a form, without `data-unkept` and `readonly` | what is typed is kept until it is sent (`drafts.ts`); hidden fields with `data-version` say which version of the text it is, and the others what it is about. `<template id="draft-offer">` offers a draft of another version, with `[data-draft-act]` buttons `restore`, `difference` and `discard` |
 * | `<details class="menu" data-replies-url="/-/replies" data-replies-for="id">` with a list | the items of the address come into the list when it opens, and `[data-reply]` puts its text into the field; `data-problem` is said when they do not come |
 * | `<file-attachment data-upload-url="…" data-field="attachment">` around a text area | dropped and pasted files are sent as multipart, with the form's `_csrf`; the answer is the Markdown to insert as `text/plain`, or an error text, shown in `[data-upload-message]`. `input="id"` names a file input in it |
 * | `data-preview-url="…"` around `role="tab"` buttons with `data-tab="write"`, `"preview"` or `"changes"`, and panels with `data-panel` | the preview panel shows what the address answers to a posted `text` (and `_csrf`, and `name`, the value of the field that `data-name-from` selects); the panel of changes shows how the text differs from the element that `data-base` of the panel selects, or else from what the field had, with the texts in `data-none` and `data-cut` |
 * | `data-tasks="…"` with `data-version` around rendered Markdown | its task boxes can be ticked: the address takes `position`, `checked` and `version`, and answers the text; `data-problem` is said when there is no answer |
 * | `textarea[data-editor]` with `data-language="name.ts"` | becomes a code editor; `data-language-from="#id"` follows a field with the file's name; `data-indent="tab"` or a width, `data-tab-size`, `data-wrap="off"` |
 * | `.markdown pre.is-loading` with `code.language-mermaid` | the diagram is drawn in a sandboxed frame when it comes near (`diagrams.ts`); `<template id="diagram-parts">` has the buttons and messages |
 * | `class="apple-only"`, `class="not-apple"` | shown on keyboards with a command key, and on others |
 * | `class="needs-script"` | hidden in browsers without scripts (style sheet) |
 * | `<html data-theme="light">` (`dark`, `auto`) | colours (style sheet, no script) |
 */
import './anchors.ts'
import './copying.ts'
import './dialogs.ts'
import './forms.ts'
import './hotkeys.ts'
import './lines.ts'
import './live.ts'
import './menus.ts'
import './names.ts'
import './navigation.ts'
import './quoting.ts'
import './rows.ts'
import './selecting.ts'
import './sending.ts'
import './tasks.ts'
import './times.ts'
import './viewer.ts'
import { onEach } from './present.ts'

/** Connects an element with a part of the scripts that is loaded when a page needs it first. */
const later =
  <T extends HTMLElement>(load: () => Promise<(element: T) => (() => void) | void>) =>
  (element: HTMLElement) => {
    let hasLeft = false
    let disconnect: (() => void) | void
    void load().then((connect) => {
      if (!hasLeft) disconnect = connect(element as T)
    })
    return () => {
      hasLeft = true
      disconnect?.()
    }
  }

onEach(
  'text-expander, file-attachment, markdown-toolbar, textarea[data-markdown], [data-preview-url], [data-replies-url]',
  later(async () => (await import('./writing.ts')).connectWriting),
)
onEach(
  'textarea:not([data-markdown], [data-editor])',
  later<HTMLTextAreaElement>(async () => (await import('./drafts.ts')).continueDraft),
)
onEach(
  '.markdown pre.is-loading:has(> code.language-mermaid)',
  later(async () => (await import('./diagrams.ts')).connectDiagram),
)
onEach(
  '[data-completes]',
  later(async () => (await import('./completing.ts')).connectCompleting),
)
onEach(
  '[data-changes]',
  later(async () => (await import('./changes.ts')).connectChanges),
)
onEach(
  '[data-board]',
  later(async () => (await import('./boards.ts')).connectBoard),
)
onEach(
  '[data-inbox]',
  later(async () => (await import('./inbox.ts')).connectInbox),
)
onEach(
  '[data-compare]',
  later(async () => (await import('./image-compare.ts')).connectImages),
)
onEach(
  '[data-suggest]',
  later(async () => (await import('./suggesting.ts')).connectSuggesting),
)
onEach(
  'textarea[data-editor]',
  later<HTMLTextAreaElement>(async () => (await import('./editor.ts')).openEditor),
)
