import type { CommentRow, IssueRow } from '../../db/tables/issues.ts'
import { ActButton, Submit } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { usePage } from '../ui/page-context.ts'
import { pullPath, type RepositoryAddress } from './pull-paths.ts'
import { pullTexts as texts } from '../languages/texts.ts'

/** Id of the form that the boxes of all suggestions of a page belong to. */
const formId = 'suggestions'

/** Applies the suggestion of a comment, or chooses it for a commit with others. */
export const SuggestionActs = ({
  repository,
  issue,
  row,
  hasMore,
  from,
}: {
  readonly repository: RepositoryAddress
  readonly issue: IssueRow
  readonly row: CommentRow
  /** There are other suggestions. */
  readonly hasMore: boolean
  readonly from: 'files' | undefined
}) => {
  const { refused } = usePage()
  const at = pullPath(repository, issue.index, 'suggestions')
  const sent = refused?.action === at ? refused.values['comment'] : undefined
  return (
    <div class="suggestion-acts">
      <ActButton to={`${at}/${row.id}`} hidden={{ from }} class="small" icon="check">
        {texts.applySuggestion}
      </ActButton>
      {hasMore ? (
        <label class="small">
          <input
            type="checkbox"
            name="comment"
            value={String(row.id)}
            form={formId}
            checked={Array.isArray(sent) && sent.includes(String(row.id))}
          />
          {texts.chooseSuggestion}
        </label>
      ) : null}
    </div>
  )
}

/** Commits the chosen suggestions; while one is chosen it stays in sight (style sheet). */
export const SuggestionBar = ({
  repository,
  index,
  applicable,
  from,
}: {
  readonly repository: RepositoryAddress
  readonly index: number
  /** Ids of comments whose suggestions the viewer may commit. */
  readonly applicable: ReadonlySet<number>
  readonly from: 'files' | undefined
}) =>
  applicable.size < 2 ? null : (
    <Form
      to={pullPath(repository, index, 'suggestions')}
      id={formId}
      class="suggestion-bar"
      label={texts.suggestions}
      hidden={{ from }}
    >
      <p>{texts.suggestionsHint(applicable.size)}</p>
      <div class="suggestion-commit">
        <Field name="message" id="suggestions_message" label={texts.suggestionsMessage} isProse />
        <Submit kind="plain" icon="check">
          {texts.applyChosen}
        </Submit>
      </div>
    </Form>
  )
