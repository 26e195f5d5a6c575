import type { CommentRow, IssueRow } from '../../db/tables/issues.ts'
import type { TextVersion } from '../../issues/history.service.ts'
import type { RepoWithOwner } from '../../issues/repo-with-owner.ts'
import { Author } from '../shared/timeline/timeline.view.tsx'
import { Link } from '../ui/link.tsx'
import { Box, Empty, PageHead } from '../ui/parts.tsx'
import { pathOf } from '../ui/paths.ts'
import { Time } from '../ui/time.tsx'
import { issueTexts } from '../languages/texts.ts'

const texts = issueTexts.history

export interface HistoryProps {
  readonly repository: RepoWithOwner
  readonly issue: IssueRow
  readonly comment: CommentRow | undefined
  readonly versions: readonly TextVersion[]
}

/** The versions of a text, newest first. */
export const HistoryView = ({ repository, issue, comment, versions }: HistoryProps) => (
  <div class="narrow">
    <PageHead title={texts.title(issue.index)} lead={texts.lead}>
      <Link
        class="button plain"
        to={
          pathOf(repository.owner.name, repository.repo.name, issue.is_pull ? 'pulls' : 'issues', issue.index) +
          (comment ? `#issuecomment-${comment.id}` : '')
        }
      >
        {texts.back}
      </Link>
    </PageHead>
    {versions.length === 0 ? (
      <Box>
        <Empty icon="history" title={texts.empty} />
      </Box>
    ) : (
      <div class="timeline">
        {versions.map(({ content, editor, unix, isFirst }) => (
          <article class="comment">
            <header class="comment-head">
              <Author person={editor} />
              <span class="muted">
                {isFirst ? texts.first : texts.edited} <Time unix={unix} />
              </span>
            </header>
            <pre class="version">{content}</pre>
          </article>
        ))}
      </div>
    )}
  </div>
)
