import type { SavedReplyRow } from '../../../db/tables/accounts.ts'
import { replyLimits } from '../../../users/replies/saved-reply.rules.ts'
import { settingsTexts, uiTexts as shared } from '../../languages/texts.ts'
import { DeleteButton, Submit, SubmitRow } from '../../ui/button.tsx'
import { Editor } from '../../ui/editor.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { PageHead } from '../../ui/parts.tsx'
import { pathOf } from '../../ui/paths.ts'
import { RowBox } from '../../ui/row-box.tsx'
import { Section } from '../../ui/section.tsx'

const texts = settingsTexts.replies

const pathTo = (...rest: readonly (string | number)[]): string => pathOf('user', 'settings', 'replies', ...rest)

const ReplyFields = ({ reply }: { readonly reply?: SavedReplyRow }) => (
  <>
    <Field name="title" label={texts.title} value={reply?.title} required isProse maxlength={replyLimits.title} />
    <Editor name="content" label={texts.content} isLabelShown value={reply?.content} rows={8} required />
  </>
)

export const RepliesView = ({ replies }: { readonly replies: readonly SavedReplyRow[] }) => (
  <>
    <PageHead title={settingsTexts.parts.replies} lead={texts.lead} />
    <Section title={texts.own} id="replies">
      <RowBox rows={replies} empty={<p class="box-body muted">{texts.none}</p>}>
        {(reply) => (
          <li class="row">
            <div class="row-main">
              <Link class="row-title" to={pathTo(reply.id)}>
                {reply.title}
              </Link>
              <p class="row-facts cut">{reply.content.slice(0, 200)}</p>
            </div>
            <DeleteButton
              to={pathTo(reply.id, 'delete')}
              label={texts.delete(reply.title)}
              confirm={texts.deleteConfirm(reply.title)}
            >
              {shared.delete}
            </DeleteButton>
          </li>
        )}
      </RowBox>
    </Section>
    <Section title={texts.add} id="new-reply">
      <Form to={pathTo()} class="stack">
        <ReplyFields />
        <SubmitRow>{texts.add}</SubmitRow>
      </Form>
    </Section>
  </>
)

export const ReplyView = ({ reply }: { readonly reply: SavedReplyRow }) => (
  <>
    <PageHead title={reply.title} />
    <Form to={pathTo(reply.id)} class="stack" isEdit>
      <ReplyFields reply={reply} />
      <div class="form-acts">
        <Submit>{shared.save}</Submit>
        <ButtonLink kind="quiet" to={pathTo()}>
          {shared.cancel}
        </ButtonLink>
      </div>
    </Form>
  </>
)

/** The items of the menu of a text. They have no icons, because they are not part of a page. */
export const ReplyItems = ({ replies }: { readonly replies: readonly SavedReplyRow[] }) =>
  replies.length === 0 ? (
    <li class="muted" data-filter-empty="">
      {texts.none}
    </li>
  ) : (
    <>
      {replies.map((reply) => (
        <li>
          <button type="button" data-reply={reply.content}>
            <span class="stack tight">
              <strong>{reply.title}</strong>
              <span class="muted small cut">{reply.content.slice(0, 80)}</span>
            </span>
          </button>
        </li>
      ))}
      <li class="muted" data-filter-empty="" hidden>
        {texts.noneFound}
      </li>
    </>
  )
