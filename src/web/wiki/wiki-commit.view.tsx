import { messageBody, subjectOf } from '../../code/commits/message.rules.ts'
import type { Commit } from '../../git/git.ts'
import type { DiffViewProps } from '../ui/diff/diff-props.ts'
import { DiffView } from '../ui/diff/diff.view.tsx'
import { ButtonLink } from '../ui/link.tsx'
import { CopyButton, PageHead } from '../ui/parts.tsx'
import { Time } from '../ui/time.tsx'
import { wikiTexts as texts } from '../languages/texts.ts'

export const WikiCommitView = ({
  commit,
  pages,
  difference,
}: {
  readonly commit: Commit
  /** The path of the list of pages. */
  readonly pages: string
  readonly difference: DiffViewProps
}) => {
  const body = messageBody(commit.message)
  return (
    <div class="stack">
      <div>
        <PageHead title={subjectOf(commit.message)}>
          <ButtonLink to={pages} icon="list-unordered">
            {texts.pages}
          </ButtonLink>
        </PageHead>
        {body === '' ? null : <pre class="commit-message">{body}</pre>}
        <p class="facts">
          <strong>{commit.author.name}</strong>
          <Time unix={commit.author.unixSeconds} />
          <span class="line one">
            <code>{commit.oid.slice(0, 10)}</code>
            <CopyButton text={commit.oid} label={texts.commitId} />
          </span>
        </p>
      </div>
      <DiffView {...difference} />
    </div>
  )
}
