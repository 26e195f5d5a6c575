import { autocompletion, closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  indentOnInput,
  indentUnit,
  LanguageDescription,
} from '@codemirror/language'
import { languages } from '@codemirror/language-data'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
} from '@codemirror/view'
import { continueDraft } from './drafts.ts'
import { editorTheme } from './editor-theme.ts'

/** A longer text stays in its text area: highlighting it would not pay. In characters. */
const maxLength = 2_000_000

const languageFor = (name: string): LanguageDescription | null =>
  LanguageDescription.matchFilename(languages, name) ?? LanguageDescription.matchLanguageName(languages, name, true)

function baseExtensions(field: HTMLTextAreaElement): Extension[] {
  const { indent, tabSize, wrap } = field.dataset
  return [
    lineNumbers(),
    highlightActiveLineGutter(),
    highlightSpecialChars(),
    history(),
    foldGutter(),
    drawSelection(),
    rectangularSelection(),
    EditorState.allowMultipleSelections.of(true),
    EditorState.tabSize.of(Number(tabSize ?? 4)),
    indentUnit.of(indent === 'tab' ? '\t' : ' '.repeat(Number(indent ?? 2))),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    autocompletion(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    keymap.of([
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...foldKeymap,
      indentWithTab,
    ]),
    ...(wrap === 'off' ? [] : [EditorView.lineWrapping]),
    EditorState.readOnly.of(field.readOnly),
    editorTheme,
  ]
}

/**
 * Puts an editor in front of a text area and keeps the text area's text equal, so that its form is sent as before. The
 * editor is in a shadow root, where it can install its styles under a policy without inline styles.
 * @returns the function that gives the text area back
 */
export function openEditor(field: HTMLTextAreaElement): (() => void) | void {
  continueDraft(field)
  if (field.value.length > maxLength) return
  const host = document.createElement('div')
  host.className = 'code-editor'
  field.before(host)
  const root = host.attachShadow({ mode: 'open' })
  const language = new Compartment()
  const label = field.labels?.[0]?.textContent?.trim() ?? field.getAttribute('aria-label') ?? ''
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: field.value,
      extensions: [
        baseExtensions(field),
        language.of([]),
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return
          field.value = update.state.sliceDoc()
          field.dispatchEvent(new Event('input', { bubbles: true }))
        }),
      ],
    }),
  })
  field.hidden = true
  const onDraft = () => {
    if (field.value === view.state.sliceDoc()) return
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: field.value } })
  }
  field.addEventListener('draft', onDraft)
  const setLanguage = async (name: string) => {
    const support = await languageFor(name)?.load()
    view.dispatch({ effects: language.reconfigure(support ?? []) })
  }
  void setLanguage(field.dataset['language'] ?? '')
  const nameField = document.querySelector<HTMLInputElement>(field.dataset['languageFrom'] ?? '#no-name-field')
  const onName = () => void setLanguage(nameField?.value ?? '')
  nameField?.addEventListener('change', onName)
  if (field.autofocus) view.focus()
  return () => {
    field.removeEventListener('draft', onDraft)
    nameField?.removeEventListener('change', onName)
    view.destroy()
    host.remove()
    field.hidden = false
  }
}
