import type { RefChoice } from '../../../code/branches/ref-choice.service.ts'
import { messageBody, subjectOf } from '../../../code/commits/message.rules.ts'
import type { Commit } from '../../../git/git.ts'
import { Form } from '../../ui/form.tsx'
import { PageHead } from '../../ui/parts.tsx'
import { TitleText } from '../../ui/title-text.tsx'
import { replayPath, repositoryPath, shortOid } from '../code-paths.ts'
import { CommitLink } from '../commit-parts.view.tsx'
import { CommitFields, type CommitTarget } from './edit.view.tsx'
import { RefMenu } from '../ref-menu.view.tsx'
import { codeTexts as texts } from '../../languages/texts.ts'

export interface ReplayProps extends CommitTarget {
  readonly commit: Commit
  /** Whether the new commit takes the change back; otherwise it repeats it. */
  readonly isReverse: boolean
  /** The message unless another is typed. */
  readonly message: string
  readonly refs: RefChoice
}

/** The form that reverts or cherry-picks a commit. */
export const ReplayView = ({ commit, isReverse, message, refs, ...target }: ReplayProps) => {
  const { repository, branch } = target
  const { oid } = commit
  const short = shortOid(oid)
  return (
    <div class="narrow stack">
      <PageHead
        title={isReverse ? texts.reverting(short) : texts.cherryPicking(short)}
        lead={isReverse ? texts.revertLead : texts.cherryPickLead}
      />
      <div class="line">
        <RefMenu
          repository={repository}
          revision={{ kind: 'branch', name: branch }}
          refs={refs}
          addressOf={({ name }) => replayPath(repository, isReverse, oid, name)}
        />
        <CommitLink repository={repository} oid={oid} />
        <span class="muted cut">
          <TitleText text={subjectOf(commit.message) || texts.noMessage} />
        </span>
      </div>
      <Form to={replayPath(repository, isReverse, oid, branch)} class="stack">
        <CommitFields
          {...target}
          summary={subjectOf(message)}
          description={messageBody(message)}
          act={isReverse ? texts.revert : texts.cherryPick}
          cancelTo={repositoryPath(repository, 'commit', oid)}
        />
      </Form>
    </div>
  )
}
