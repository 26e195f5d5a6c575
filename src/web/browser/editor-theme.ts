import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/**
 * The look of the editor in the variables of the style sheet, so that it follows the theme. The second value of each is
 * what the browser shows where the sheet does not define the variable.
 */
const look = EditorView.theme({
  '&': { color: 'var(--text, CanvasText)', backgroundColor: 'var(--surface, Canvas)', fontSize: 'inherit' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono, ui-monospace, monospace)', lineHeight: '1.5', minHeight: '20rem' },
  '.cm-content': { caretColor: 'var(--text, CanvasText)' },
  '.cm-cursor': { borderLeftColor: 'var(--text, CanvasText)' },
  '.cm-gutters': {
    color: 'var(--text-muted, GrayText)',
    backgroundColor: 'transparent',
    borderRight: '1px solid var(--border, GrayText)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in oklab, currentColor 5%, transparent)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in oklab, var(--accent, Highlight) 30%, transparent)',
  },
  '.cm-panels': { color: 'inherit', backgroundColor: 'var(--surface-2, Canvas)' },
  '.cm-tooltip': {
    color: 'inherit',
    backgroundColor: 'var(--surface, Canvas)',
    border: '1px solid var(--border, GrayText)',
  },
})

const colours = HighlightStyle.define([
  { tag: [tags.comment, tags.meta], color: 'var(--code-comment, GrayText)' },
  {
    tag: [tags.keyword, tags.operatorKeyword, tags.modifier],
    color: 'var(--code-keyword, light-dark(#a0111f, #ff938a))',
  },
  {
    tag: [tags.string, tags.regexp, tags.special(tags.string)],
    color: 'var(--code-string, light-dark(#032563, #addcff))',
  },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--code-number, light-dark(#023b95, #91cbff))' },
  { tag: [tags.typeName, tags.className, tags.namespace], color: 'var(--code-type, light-dark(#702c00, #ffb757))' },
  {
    tag: [tags.function(tags.variableName), tags.function(tags.propertyName), tags.definition(tags.variableName)],
    color: 'var(--code-function, light-dark(#622cbc, #dbb7ff))',
  },
  { tag: [tags.propertyName, tags.attributeName], color: 'var(--code-attribute, light-dark(#023b95, #91cbff))' },
  { tag: tags.tagName, color: 'var(--code-tag, light-dark(#024c1a, #72f088))' },
  { tag: tags.heading, fontWeight: 'bold' },
  { tag: tags.strong, fontWeight: 'bold' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.link, textDecoration: 'underline' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: tags.invalid, textDecoration: 'underline wavy' },
])

/** Look and colours of the editor. */
export const editorTheme = [look, syntaxHighlighting(colours)]
