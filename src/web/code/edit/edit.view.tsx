import { Submit } from '../../ui/button.tsx'
import { Field, Radios, TextArea } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { formScope } from '../../ui/form-state.ts'
import { Icon } from '../../ui/icon.tsx'
import { ButtonLink } from '../../ui/link.tsx'
import { usePage } from '../../ui/page-context.ts'
import { Flash, PageHead } from '../../ui/parts.tsx'
import { siteHref } from '../../ui/paths.ts'
import { deletePath, editPath, repositoryPath, revisionPath, type RepositoryNames } from '../code-paths.ts'
import type { Indent } from './editor-indent.rules.ts'
import { codeTexts as texts } from '../../languages/texts.ts'

export interface CommitTarget {
  readonly repository: RepositoryNames
  readonly branch: string
  /** The repository has no commit, so that the first one makes the branch. */
  readonly isFirst: boolean
  /** The person may only read here: the commit goes to a branch of their fork. */
  readonly isProposal: boolean
  /** Proposed name of a new branch. */
  readonly newBranch: string
}

export interface EditProps extends CommitTarget {
  readonly kind: 'edit' | 'new'
  /** Path of the file, or of the folder of a new file. */
  readonly path: string
  readonly text: string
  /** Id of the present content. */
  readonly oid: string | undefined
  readonly name: string
  readonly indent: Indent
  /** Whether the file may be of a kind that pages render. */
  readonly hasPreview: boolean
}

/** Says where the change goes. */
export const leadOf = ({ repository, branch, isProposal }: CommitTarget): string =>
  isProposal ? texts.proposal.lead(`${repository.owner.name}/${repository.repo.name}`) : texts.onBranch(branch)

interface CommitFieldsProps extends CommitTarget {
  /** The summary unless another is typed. */
  readonly summary: string
  /** Fills the fields with summary and description, to be changed. */
  readonly description?: string
  readonly act: string
  readonly kind?: 'primary' | 'danger'
  readonly cancelTo: string
  /** The fields are a bar that stays in view below a long text. */
  readonly isBar?: boolean
}

/** Message and branch of a commit. */
export const CommitFields = (props: CommitFieldsProps) => {
  const { branch, isFirst, isProposal, newBranch, summary, description, act, kind = 'primary', cancelTo } = props
  const { problem, values } = formScope.current()
  const branchName = (
    <Field
      name="new_branch"
      label={isProposal ? texts.proposal.branch : texts.newBranchName}
      value={newBranch}
      isTerse
      maxlength={100}
    />
  )
  const message = (
    <Field
      name="summary"
      label={texts.commitSummary}
      isLabelHidden={props.isBar ?? false}
      placeholder={summary}
      value={description === undefined ? undefined : summary}
      isProse
      isTerse
      maxlength={500}
    />
  )
  const details = (
    <>
      <TextArea name="description" label={texts.commitDescription} rows={3} value={description} />
      {isProposal ? (
        branchName
      ) : isFirst ? null : (
        <div class="stack tight commit-target">
          <Radios
            name="target"
            label={texts.commitTo}
            value="direct"
            choices={[
              { value: 'direct', label: texts.toBranch(branch) },
              { value: 'new', label: texts.toNewBranch },
            ]}
          />
          {branchName}
        </div>
      )}
    </>
  )
  const acts = (
    <>
      <Submit kind={isProposal ? 'primary' : kind}>{isProposal ? texts.proposal.act : act}</Submit>
      <ButtonLink kind="quiet" to={cancelTo}>
        {texts.cancel}
      </ButtonLink>
    </>
  )
  return props.isBar ? (
    <fieldset class="commit-form commit-bar">
      <legend class="sr-only">{texts.commit}</legend>
      {message}
      <details class="commit-details" open={problem?.field === 'new_branch' || values['target'] === 'new'}>
        <summary class="button plain">
          {texts.commitDetails}
          <Icon name="triangle-down" />
        </summary>
        <div class="stack">{details}</div>
      </details>
      {acts}
    </fieldset>
  ) : (
    <fieldset class="commit-form stack">
      <legend class="sr-only">{texts.commit}</legend>
      {message}
      {details}
      <div class="form-acts">{acts}</div>
    </fieldset>
  )
}

export const EditView = (props: EditProps) => {
  const { repository, branch, path, kind, text, oid, name } = props
  const { refused } = usePage()
  const to = kind === 'edit' ? editPath(repository, branch, path) : repositoryPath(repository, '_new', branch, path)
  const sent = refused?.action === to ? refused.values : undefined
  const isStale = sent !== undefined && kind === 'edit' && sent['oid'] !== oid
  return (
    <div class="stack">
      <PageHead title={kind === 'edit' ? texts.editing(path) : texts.newFile} lead={leadOf(props)} />
      {isStale ? (
        <>
          <Flash tone="warning">{texts.changedMeanwhile}</Flash>
          <section class="stack tight">
            <h2>{texts.presentVersion}</h2>
            <PresentText text={text} class="box box-body present-version" tabIndex={0} />
            <h2>{texts.yourVersion}</h2>
          </section>
        </>
      ) : null}
      <Form to={to} files class="stack edit-form">
        {oid === undefined ? null : <input type="hidden" name="oid" value={oid} data-version="" />}
        <Field
          name="name"
          label={texts.fileName}
          value={name}
          required
          maxlength={500}
          placeholder="docs/guide.md"
          autofocus={kind === 'new'}
          hint={texts.fileNameHint}
        />
        <FileEditor {...props} base={kind === 'new' ? '#no-text' : sent === undefined ? undefined : '#present-text'} />
        <CommitFields
          {...props}
          isBar
          kind="primary"
          cancelTo={revisionPath(repository, 'src', { kind: 'branch', name: branch }, path)}
          summary={kind === 'edit' ? texts.defaultUpdate(path) : texts.defaultCreate}
          act={texts.commitChanges}
        />
      </Form>
      {isStale || sent === undefined ? null : <PresentText text={text} hidden />}
    </div>
  )
}

/** The text that the branch has: after a refusal, the editor has another one. */
const PresentText = ({
  text,
  ...rest
}: {
  readonly text: string
  readonly class?: string
  readonly tabIndex?: number
  readonly hidden?: boolean
}) => {
  const shown = text.replace(/^\ufeff/, '')
  return (
    <pre id="present-text" {...rest}>
      {/* A browser drops one line break at the beginning of the element. */}
      {/^[\r\n]/.test(shown) ? `\n${shown}` : shown}
    </pre>
  )
}

/** The text of a file, its preview, and what was changed. */
const FileEditor = (
  props: EditProps & {
    /** Selects the element with the text before; undefined: the editor begins with it. */
    readonly base: string | undefined
  },
) => {
  const { repository, branch, path, text, name, indent, hasPreview, base } = props
  const { config } = usePage()
  const views = ['write', ...(hasPreview ? (['preview'] as const) : []), 'changes'] as const
  return (
    <div
      class="editor file-editor"
      data-preview-url={siteHref(config, repositoryPath(repository, '_preview', branch, path))}
      data-name-from="#name"
    >
      <div class="editor-head needs-script">
        <div class="editor-tabs" role="tablist" aria-label={texts.editorViews.label}>
          {views.map((view, index) => (
            <button
              type="button"
              role="tab"
              data-tab={view}
              aria-selected={index === 0 ? 'true' : 'false'}
              aria-controls={`file_${view}`}
              {...(index === 0 ? {} : { tabIndex: -1 })}
            >
              {texts.editorViews[view]}
            </button>
          ))}
        </div>
      </div>
      <div data-panel="write" role="tabpanel" id="file_write" aria-label={texts.editorViews.write}>
        <TextArea
          name="text"
          label={texts.content}
          isLabelHidden
          value={text.replace(/^\ufeff/, '')}
          rows={24}
          isCode
          data-editor=""
          data-language={name}
          data-language-from="#name"
          data-indent={indent.unit}
          data-tab-size={indent.tabSize}
        />
      </div>
      {hasPreview ? (
        <div
          class="editor-preview markdown"
          data-panel="preview"
          role="tabpanel"
          id="file_preview"
          aria-label={texts.editorViews.preview}
          aria-live="polite"
          hidden
        />
      ) : null}
      <div
        class="editor-changes"
        data-panel="changes"
        role="tabpanel"
        id="file_changes"
        aria-label={texts.editorViews.changes}
        tabIndex={0}
        {...(base === undefined ? {} : { 'data-base': base })}
        data-none={texts.editorViews.none}
        data-cut={texts.editorViews.cut}
        hidden
      />
    </div>
  )
}

export const DeleteView = (props: CommitTarget & { readonly path: string; readonly oid: string }) => {
  const { repository, branch, path, oid } = props
  return (
    <div class="narrow stack">
      <PageHead title={texts.deleting(path)} lead={leadOf(props)} />
      <Form to={deletePath(repository, branch, path)} class="stack">
        <input type="hidden" name="oid" value={oid} />
        <CommitFields
          {...props}
          kind="danger"
          cancelTo={revisionPath(repository, 'src', { kind: 'branch', name: branch }, path)}
          summary={texts.defaultDelete(path)}
          act={texts.deleteFile}
        />
      </Form>
    </div>
  )
}
