import type { RepoCtx } from '../../access/context.ts'
import type { AttachmentRow } from '../../db/tables/issues.ts'
import type { ReleaseRow } from '../../db/tables/releases.ts'
import { Editor } from '../ui/editor.tsx'
import { ActButton, DeleteButton, Submit, SubmitRow } from '../ui/button.tsx'
import { Checkbox, Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { ButtonLink } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Flash, PageHead } from '../ui/parts.tsx'
import { RowBox } from '../ui/row-box.tsx'
import { pathOf, siteHref } from '../ui/paths.ts'
import { sizeText } from '../languages/amounts.ts'
import { uiTexts as shared } from '../languages/texts.ts'
import { FileLink } from './releases.view.tsx'
import { releasePath } from './shown-release.ts'
import { releaseTexts } from '../languages/texts.ts'

const texts = releaseTexts.form

interface FormViewProps {
  readonly repository: Pick<RepoCtx, 'repo' | 'owner'>
  /** Undefined: a new one. */
  readonly release: ReleaseRow | undefined
  readonly files: readonly AttachmentRow[]
  readonly branches: readonly string[]
  readonly tags: readonly string[]
  readonly tag: string
  readonly target: string
  readonly notes: string
}

/** The form of a release, and its files when it exists. */
export const ReleaseFormView = (props: FormViewProps) => {
  const { repository, release, files } = props
  const { config } = usePage()
  const at = (...parts: readonly (string | number)[]) =>
    pathOf(repository.owner.name, repository.repo.name, 'releases', ...parts)
  return (
    <div class="narrow stack">
      <PageHead title={release ? texts.editTitle(release.tag_name) : texts.newTitle}>
        {release ? (
          <ActButton to={at(release.id, 'delete')} kind="danger" confirm={releaseTexts.deleteConfirm(release.tag_name)}>
            {releaseTexts.delete}
          </ActButton>
        ) : null}
      </PageHead>
      {repository.repo.is_empty ? <Flash tone="info">{texts.emptyRepository}</Flash> : null}
      <Form
        isEdit
        to={release ? at('edit', release.tag_name) : at('new')}
        class="stack"
        id="release-form"
        files={release === undefined}
      >
        {/* Enter in a field publishes; it takes the first button. */}
        {release ? null : (
          <button type="submit" name="as" value="publish" class="sr-only" tabIndex={-1} aria-hidden="true" />
        )}
        <div class="fields-row top">
          <Field
            name="tag_name"
            label={texts.tag}
            value={props.tag}
            hint={texts.tagHint}
            list="tag-names"
            required
            autocomplete="off"
          />
          <Field
            name="target"
            label={texts.target}
            value={props.target || repository.repo.default_branch}
            hint={texts.targetHint}
            list="branch-names"
            autocomplete="off"
            isTerse
          />
        </div>
        <datalist id="tag-names">
          {props.tags.map((name) => (
            <option value={name} />
          ))}
        </datalist>
        <datalist id="branch-names">
          {props.branches.map((name) => (
            <option value={name} />
          ))}
        </datalist>
        <Field name="title" label={texts.name} value={release?.title} isProse maxlength={255} />
        <Editor
          name="content"
          label={texts.body}
          isLabelShown
          value={props.notes}
          rows={14}
          repository={{ owner: repository.owner.name, name: repository.repo.name }}
          uploadTo={at('attachments')}
          uploadHint={texts.attachHint}
        >
          {release || repository.repo.is_empty ? null : (
            <p class="editor-foot">
              <Submit
                kind="plain"
                class="small"
                icon="list-unordered"
                formaction={`${siteHref(config, at('new'))}?generate=true#content`}
                formenctype="application/x-www-form-urlencoded"
                formnovalidate
                data-turbo="false"
              >
                {texts.generate}
              </Submit>
              <span class="hint">{texts.generateLead}</span>
            </p>
          )}
        </Editor>
        <Checkbox
          name="is_prerelease"
          label={texts.prerelease}
          hint={texts.prereleaseHint}
          checked={release?.is_prerelease ?? false}
        />
        <Checkbox
          name="hides_archive_links"
          label={texts.hideArchives}
          checked={release?.hides_archive_links ?? false}
        />
        {release ? null : <NewFiles />}
        <FormActs release={release} back={release ? releasePath(repository, release.tag_name) : at()} />
      </Form>
      {release ? <Files release={release} files={files} at={at} /> : null}
    </div>
  )
}

const FormActs = ({ release, back }: { readonly release: ReleaseRow | undefined; readonly back: string }) => (
  <div class="form-acts">
    {release && !release.is_draft ? (
      <>
        <Submit>{texts.save}</Submit>
        <Submit kind="plain" name="as" value="draft">
          {texts.unpublish}
        </Submit>
      </>
    ) : (
      <>
        <Submit name="as" value="publish">
          {texts.publish}
        </Submit>
        <Submit kind="plain" name="as" value="draft">
          {texts.saveDraft}
        </Submit>
      </>
    )}
    <ButtonLink kind="quiet" to={back}>
      {shared.cancel}
    </ButtonLink>
  </div>
)

/** The files of a release that does not exist yet. */
const NewFiles = () => {
  const { config, refused } = usePage()
  const sentFiles = Array.isArray(refused?.values['files']) ? refused.values['files'] : []
  return config.attachment.enabled ? (
    <Field
      name="files"
      type="file"
      multiple
      label={releaseTexts.files.heading}
      hint={refused?.problem || sentFiles.length > 0 ? releaseTexts.files.chooseAgain : releaseTexts.files.several}
      class="drop-zone"
    />
  ) : null
}

const Files = ({
  release,
  files,
  at,
}: {
  readonly release: ReleaseRow
  readonly files: readonly AttachmentRow[]
  readonly at: (...parts: readonly (string | number)[]) => string
}) => {
  const { config } = usePage()
  return (
    <section class="stack">
      <h2>{releaseTexts.files.heading}</h2>
      <RowBox rows={files} class="release-files">
        {(file) => (
          <li class="row">
            <Icon name={file.external_url === '' ? 'package' : 'link-external'} class="muted" />
            <FileLink file={file} />
            <span class="row-side">
              {file.external_url === '' ? sizeText(file.size_bytes) : releaseTexts.external}
              <DeleteButton
                to={at(release.id, 'assets', file.id, 'delete')}

                label={releaseTexts.files.delete(file.name)}
                confirm={releaseTexts.files.deleteConfirm(file.name)}
              >
                {shared.delete}
              </DeleteButton>
            </span>
          </li>
        )}
      </RowBox>
      {config.attachment.enabled ? (
        <Form to={at(release.id, 'assets')} class="stack" files data-turbo="false">
          <div class="fields-row top">
            <Field name="attachment" type="file" label={releaseTexts.files.file} class="drop-zone" isTerse />
            <Field
              name="external_url"
              type="url"
              label={releaseTexts.files.link}
              hint={releaseTexts.files.linkHint}
              isTerse
              placeholder="https://"
            />
          </div>
          <SubmitRow kind="plain" icon="upload">
            {releaseTexts.files.submit}
          </SubmitRow>
        </Form>
      ) : (
        <p class="hint">{releaseTexts.files.off}</p>
      )}
    </section>
  )
}
