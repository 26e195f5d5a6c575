import { subjectOf } from '../../code/commits/message.rules.ts'
import type { CommitView } from '../../code/statuses/commit-view.service.ts'
import type { Page } from '../../lib/paging.ts'
import type { PullView } from '../../pulls/pull-view.service.ts'
import { SignatureMark, StatusMark } from '../shared/commit-marks.view.tsx'
import { Box, CopyButton, Empty, Pages } from '../ui/parts.tsx'
import { pathOf } from '../ui/paths.ts'
import { Person } from '../ui/person.tsx'
import { Time } from '../ui/time.tsx'
import { PullHead, type PullHeadProps } from './pull-head.view.tsx'
import type { RepositoryAddress } from './pull-paths.ts'
import { pullTexts as texts } from '../languages/texts.ts'
import { MessageText } from '../shared/message-text.view.tsx'

interface PullCommitsProps {
  readonly repository: RepositoryAddress
  readonly view: PullView
  readonly mayEdit: boolean
  readonly lost: PullHeadProps['lost']
  readonly commits: readonly CommitView[]
  readonly total: number
  readonly page: Page
}

/** The commits of a pull request. */
export const PullCommitsView = ({ repository, view, mayEdit, lost, commits, total, page }: PullCommitsProps) => (
  <>
    <PullHead {...{ repository, view, mayEdit, lost }} tab="commits" numCommits={total} />
    {commits.length === 0 ? (
      <Empty icon="git-commit" title={texts.noCommits}>
        <p>{texts.noCommitsHint}</p>
      </Empty>
    ) : (
      <Box>
        <ul class="rows" data-rows="">
          {commits.map((each) => {
            const { commit, author, verification } = each
            return (
              <li class="row commit-row">
                <div class="row-main">
                  <MessageText
                    text={subjectOf(commit.message)}
                    to={pathOf(repository.owner, repository.name, 'commit', commit.oid)}
                    class="row-title"
                    data-row-link=""
                  />
                  <div class="row-facts">
                    {author ? <Person person={author} size={16} /> : <span class="person">{commit.author.name}</span>}
                    <Time unix={commit.author.unixSeconds} />
                    <StatusMark
                      repository={{ owner: { name: repository.owner }, repo: { name: repository.name } }}
                      view={each}
                    />
                  </div>
                </div>
                <div class="row-side">
                  <SignatureMark verification={verification} />
                  <code class="oid">{commit.oid.slice(0, 10)}</code>
                  <CopyButton text={commit.oid} label={commit.oid.slice(0, 10)} />
                </div>
              </li>
            )
          })}
        </ul>
      </Box>
    )}
    <Pages page={page.number} total={total} pageSize={page.limit} />
  </>
)
