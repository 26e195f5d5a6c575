import type { WholePage } from '../../wiki/page.service.ts'
import { Editor } from '../ui/editor.tsx'
import { Submit } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { ButtonLink } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Flash, PageHead } from '../ui/parts.tsx'
import { pathOf } from '../ui/paths.ts'
import { uiTexts as shared } from '../languages/texts.ts'
import { wikiTexts } from '../languages/texts.ts'
import type { WikiRepository } from './wiki.view.tsx'

const texts = wikiTexts.form

/** The form of a page. When somebody else changed it meanwhile, both versions are shown. */
export const WikiFormView = ({
  repository,
  page,
  title,
  to,
  back,
}: {
  readonly repository: WikiRepository
  /** Undefined: a new one. */
  readonly page: WholePage | undefined
  readonly title: string
  readonly to: string
  readonly back: string
}) => {
  const { refused, config } = usePage()
  const present = page?.content.toString('utf8') ?? ''
  const hasChanged = refused?.action === to && page !== undefined && refused.values['seen'] !== page.lastCommit?.oid
  return (
    <>
      <PageHead title={page ? texts.editTitle(title) : texts.newTitle}>
        {page ? (
          <Form to={to} hidden={{ do: 'delete' }} confirm={texts.deleteConfirm(title)} class="inline">
            <Seen page={page} />
            <Submit kind="danger">{texts.delete}</Submit>
          </Form>
        ) : null}
      </PageHead>
      {hasChanged ? (
        <>
          <Flash tone="warning">{texts.currentLead}</Flash>
          <details class="more-options" open>
            <summary>{texts.current}</summary>
            <pre class="wiki-current">{present}</pre>
          </details>
        </>
      ) : null}
      <Form to={to} hidden={{ do: 'save' }} class="stack" id="wiki-form">
        <Seen page={page} />
        <Field name="title" label={texts.title} value={title} required isProse maxlength={255} autofocus={!page} />
        <Editor
          name="content"
          label={texts.content}
          isLabelShown
          value={present}
          rows={22}
          repository={{ owner: repository.owner.name, name: repository.repo.name }}
          uploadTo={
            config.repositoryUpload.enabled
              ? pathOf(repository.owner.name, repository.repo.name, 'wiki/_new/files')
              : undefined
          }
          uploadHint={texts.attachHint}
        />
        <Field name="message" label={texts.message} isProse maxlength={500} />
        <div class="form-acts">
          <Submit>{texts.save}</Submit>
          <ButtonLink kind="quiet" to={back}>
            {shared.cancel}
          </ButtonLink>
        </div>
      </Form>
    </>
  )
}

/** The commit that the form shows. It is no `hidden` of the form, because a refused form is recognised by those. */
const Seen = ({ page }: { readonly page: WholePage | undefined }) =>
  page?.lastCommit === undefined ? null : (
    <input type="hidden" name="seen" value={page.lastCommit.oid} data-version="" />
  )
