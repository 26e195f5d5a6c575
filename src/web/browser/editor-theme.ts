import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/**
 * The look of the editor in the variables of the style sheet, so that it follows the theme. The second value of each is
 * what the browser shows where the sheet does not define the variable.
 */
const look = EditorView.theme({
  '&': { color: 'var(--ink, CanvasText)', backgroundColor: 'var(--canvas, Canvas)', fontSize: 'inherit' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono, ui-monospace, monospace)', lineHeight: '1.5', minHeight: '20rem' },
  '.cm-content': { caretColor: 'var(--ink, CanvasText)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink, CanvasText)' },
  '.cm-gutters': {
    color: 'var(--muted, GrayText)',
    backgroundColor: 'transparent',
    borderRight: '1px solid var(--line, GrayText)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in oklab, currentColor 5%, transparent)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in oklab, var(--accent, Highlight) 30%, transparent)',
  },
  '.cm-panels': { color: 'inherit', backgroundColor: 'var(--subtle, Canvas)' },
  '.cm-tooltip': {
    color: 'inherit',
    backgroundColor: 'var(--canvas, Canvas)',
    border: '1px solid var(--line, GrayText)',
  },
})

/** The colours of highlighted code in the style sheet (`.hljs-…`), which does not reach into the editor. */
const keyword = 'light-dark(oklch(0.48 0.18 12), oklch(0.77 0.13 12))'
const text = 'light-dark(oklch(0.44 0.11 152), oklch(0.8 0.11 152))'
const value = 'light-dark(oklch(0.45 0.13 255), oklch(0.8 0.09 245))'
const title = 'light-dark(oklch(0.45 0.17 300), oklch(0.8 0.11 300))'
const builtIn = 'light-dark(oklch(0.5 0.11 60), oklch(0.8 0.1 70))'

const colours = HighlightStyle.define([
  { tag: [tags.comment, tags.quote], color: 'var(--muted, GrayText)', fontStyle: 'italic' },
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.bool, tags.null, tags.typeName], color: keyword },
  { tag: [tags.string, tags.regexp, tags.special(tags.string)], color: text },
  { tag: [tags.number, tags.atom, tags.propertyName, tags.attributeName], color: value },
  { tag: [tags.className, tags.namespace, tags.tagName, tags.heading], color: title },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: title },
  { tag: [tags.standard(tags.variableName), tags.link, tags.meta], color: builtIn },
  { tag: [tags.heading, tags.strong], fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: tags.invalid, textDecoration: 'underline wavy' },
])

/** Look and colours of the editor. */
export const editorTheme = [look, syntaxHighlighting(colours)]
