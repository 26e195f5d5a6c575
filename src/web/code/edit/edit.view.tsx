import { Submit } from '../../ui/button.tsx'
import { Field, Radios, TextArea } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { ButtonLink } from '../../ui/link.tsx'
import { usePage } from '../../ui/page-context.ts'
import { Flash, PageHead } from '../../ui/parts.tsx'
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
}

/** Says where the change goes. */
export const leadOf = ({ repository, branch, isProposal }: CommitTarget): string =>
  isProposal ? texts.proposal.lead(`${repository.owner.name}/${repository.repo.name}`) : texts.onBranch(branch)

/** Message and branch of a commit. */
export const CommitFields = ({
  branch,
  isFirst,
  isProposal,
  newBranch,
  summary,
  description,
  act,
  kind = 'primary',
  cancelTo,
}: CommitTarget & {
  /** The summary unless another is typed. */
  readonly summary: string
  /** Fills the fields with summary and description, to be changed. */
  readonly description?: string
  readonly act: string
  readonly kind?: 'primary' | 'danger'
  readonly cancelTo: string
}) => {
  const branchName = (
    <Field
      name="new_branch"
      label={isProposal ? texts.proposal.branch : texts.newBranchName}
      value={newBranch}
      isTerse
      maxlength={100}
    />
  )
  return (
    <fieldset class="commit-form stack">
      <legend class="sr-only">{texts.commit}</legend>
      <Field
        name="summary"
        label={texts.commitSummary}
        placeholder={summary}
        value={description === undefined ? undefined : summary}
        isProse
        isTerse
        maxlength={500}
      />
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
      <div class="form-acts">
        <Submit kind={isProposal ? 'primary' : kind}>{isProposal ? texts.proposal.act : act}</Submit>
        <ButtonLink kind="quiet" to={cancelTo}>
          {texts.cancel}
        </ButtonLink>
      </div>
    </fieldset>
  )
}

/** Tells how the file was written, so that saving it changes only what was edited. */
const formOf = (text: string): string =>
  [text.includes('\r\n') ? 'crlf' : '', text.startsWith('\ufeff') ? 'bom' : ''].filter((part) => part !== '').join(' ')

export const EditView = (props: EditProps) => {
  const { repository, branch, path, kind, text, oid, name, indent } = props
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
            <pre class="box box-body present-version" tabIndex={0}>
              {text}
            </pre>
            <h2>{texts.yourVersion}</h2>
          </section>
        </>
      ) : null}
      <Form to={to} files class="stack edit-form">
        {oid === undefined ? null : <input type="hidden" name="oid" value={oid} />}
        <input type="hidden" name="form" value={formOf(text)} />
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
        <CommitFields
          {...props}
          kind="primary"
          cancelTo={revisionPath(repository, 'src', { kind: 'branch', name: branch }, path)}
          summary={kind === 'edit' ? texts.defaultUpdate(path) : texts.defaultCreate}
          act={texts.commitChanges}
        />
      </Form>
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
