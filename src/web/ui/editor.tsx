import type { ComponentChildren } from 'preact'
import { TextArea } from './field.tsx'
import { Icon } from './icon.tsx'
import type { IconName } from './icons.ts'
import { usePage } from './page-context.ts'
import { Link } from './link.tsx'
import { MenuFilter } from './parts.tsx'
import { pathOf, siteHref } from './paths.ts'
import { uiTexts } from '../languages/texts.ts'

const texts = uiTexts.editor

export interface EditorProps {
  /** Name of the field. */
  readonly name: string
  /** Label of the field; only screen readers show it, unless `isLabelShown`. */
  readonly label: string
  readonly isLabelShown?: boolean
  /** Differs from the name when several forms of a page have such a field. */
  readonly id?: string
  readonly value?: string | undefined
  readonly rows?: number
  readonly required?: boolean
  readonly placeholder?: string
  readonly autofocus?: boolean
  readonly hint?: ComponentChildren
  /** Names of the repository that the text belongs to: references lead there, and completion knows its people. */
  readonly repository?: { readonly owner: string; readonly name: string } | undefined
  /** Path below the site root that takes dropped and pasted files, if the site takes any; undefined: they are not accepted. */
  readonly uploadTo?: string | undefined
  /** What becomes of the files; the default says how to add them. */
  readonly uploadHint?: string
  /** Further buttons of the toolbar. */
  readonly tools?: ComponentChildren
  readonly children?: ComponentChildren
}

/** Attributes of a toolbar button. */
const tool = (label: string) => ({
  class: 'button quiet icon-only small',
  role: 'button',
  tabindex: '-1',
  title: label,
  'aria-label': label,
})

const Symbol = ({ name }: { readonly name: IconName }) => <Icon name={name} />

const Toolbar = ({ field, tools }: { readonly field: string; readonly tools: ComponentChildren }) => (
  <markdown-toolbar for={field} class="editor-tools" aria-label={texts.formatting}>
    <md-header {...tool(texts.acts.heading)}>
      <Symbol name="heading" />
    </md-header>
    <md-bold {...tool(texts.acts.bold)}>
      <Symbol name="bold" />
    </md-bold>
    <md-italic {...tool(texts.acts.italic)}>
      <Symbol name="italic" />
    </md-italic>
    <md-quote {...tool(texts.acts.quote)}>
      <Symbol name="quote" />
    </md-quote>
    <md-code {...tool(texts.acts.code)}>
      <Symbol name="code" />
    </md-code>
    <md-link {...tool(texts.acts.link)}>
      <Symbol name="link" />
    </md-link>
    <md-unordered-list {...tool(texts.acts.list)}>
      <Symbol name="list-unordered" />
    </md-unordered-list>
    <md-ordered-list {...tool(texts.acts.numbers)}>
      <Symbol name="list-ordered" />
    </md-ordered-list>
    <md-task-list {...tool(texts.acts.tasks)}>
      <Symbol name="tasklist" />
    </md-task-list>
    {tools}
  </markdown-toolbar>
)

/** The menu that puts a saved reply into a field. A script loads its items when it opens first. */
const SavedReplies = ({ field }: { readonly field: string }) => {
  const { config } = usePage()
  return (
    <details
      class="menu end icon-only"
      data-replies-url={siteHref(config, '/-/replies')}
      data-replies-for={field}
      data-problem={texts.repliesFailed}
    >
      <summary class="button quiet icon-only small" title={texts.replies} aria-label={texts.replies}>
        <Icon name="comment" />
      </summary>
      <div class="menu-panel">
        <MenuFilter list={`${field}_replies`} label={texts.findReply} />
        <ul id={`${field}_replies`} aria-live="polite" />
        <ul>
          <li>
            <Link to="/user/settings/replies">{texts.editReplies}</Link>
          </li>
        </ul>
      </div>
    </details>
  )
}

/**
 * A field for Markdown inside a form: toolbar, preview, completion of mentions, references and emoji, and attachments. It
 * is a plain text area in a browser without scripts.
 */
export function Editor({
  name,
  label,
  isLabelShown = false,
  id = name,
  value,
  rows = 6,
  required = false,
  placeholder,
  autofocus = false,
  hint,
  repository,
  uploadTo,
  uploadHint = texts.attachHint,
  tools,
  children,
}: EditorProps) {
  const { config, viewer } = usePage()
  const at = (part: string): string =>
    siteHref(config, repository ? pathOf(repository.owner, repository.name, part) : `/-/${part}`)
  const field = (
    <TextArea
      {...{ name, id, value, rows, required, autofocus }}
      label={isLabelShown ? '' : label}
      {...(placeholder === undefined ? {} : { placeholder })}
      {...(hint === undefined ? {} : { hint })}
      isLabelHidden
      data-markdown=""
    />
  )
  const editor = (
    <div class="editor" data-preview-url={at('markup')}>
      <div class="editor-head needs-script">
        <div class="editor-tabs" role="tablist" aria-label={texts.views}>
          <button type="button" role="tab" data-tab="write" aria-selected="true" aria-controls={`${id}_write`}>
            {texts.write}
          </button>
          <button
            type="button"
            role="tab"
            data-tab="preview"
            aria-selected="false"
            aria-controls={`${id}_preview`}
            tabIndex={-1}
          >
            {texts.preview}
          </button>
        </div>
        <div class="editor-tools">
          <Toolbar field={id} tools={tools} />
          {viewer ? <SavedReplies field={id} /> : null}
        </div>
      </div>
      <div data-panel="write" role="tabpanel" id={`${id}_write`} aria-label={texts.write}>
        <text-expander keys="@ # :" data-url={at('suggestions')}>
          {uploadTo === undefined || !config.attachment.enabled ? (
            field
          ) : (
            <file-attachment data-upload-url={siteHref(config, uploadTo)} data-field="attachment" input={`${id}_files`}>
              {field}
              <label class="editor-attach needs-script" for={`${id}_files`}>
                <Icon name="file-media" />
                <span>{uploadHint}</span>
                <input type="file" id={`${id}_files`} multiple class="sr-only" aria-label={texts.attach} />
                <span class="wrong" role="alert" data-upload-message="" />
              </label>
            </file-attachment>
          )}
        </text-expander>
      </div>
      <div
        class="editor-preview markdown"
        data-panel="preview"
        role="tabpanel"
        id={`${id}_preview`}
        aria-label={texts.preview}
        aria-live="polite"
        hidden
      >
        {texts.emptyPreview}
      </div>
      {children}
    </div>
  )
  return isLabelShown ? (
    <div class="field">
      <label for={id}>
        {label}
        {required ? null : <span class="optional"> {uiTexts.optional}</span>}
      </label>
      {editor}
    </div>
  ) : (
    editor
  )
}
