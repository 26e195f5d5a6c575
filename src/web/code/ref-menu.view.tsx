import type { RefChoice } from '../../code/branches/ref-choice.service.ts'
import type { NamedCommit } from '../../code/commits/named-commit.service.ts'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import { Menu, MenuFilter } from '../ui/parts.tsx'
import { repositoryPath, shortOid, type RepositoryNames } from './code-paths.ts'
import { codeTexts as texts } from '../languages/texts.ts'

export interface RefMenuProps {
  readonly repository: RepositoryNames
  readonly revision: Pick<NamedCommit, 'kind' | 'name'>
  readonly refs: RefChoice
  /** Returns where another branch or tag leads. */
  readonly addressOf: (revision: Pick<NamedCommit, 'kind' | 'name'>) => string
}

const Choice = ({
  to,
  name,
  isCurrent,
  isTag,
}: {
  readonly to: string
  readonly name: string
  readonly isCurrent: boolean
  readonly isTag: boolean
}) => (
  <li>
    <Link to={to} aria-current={isCurrent ? 'true' : undefined}>
      <Icon name={isCurrent ? 'check' : isTag ? 'tag' : 'git-branch'} />
      <span class="cut">{name}</span>
    </Link>
  </li>
)

/** The menu that leads to another branch or tag. */
export const RefMenu = ({ repository, revision, refs, addressOf }: RefMenuProps) => (
  <Menu
    class="ref-menu"
    label={
      <>
        <Icon name={revision.kind === 'branch' ? 'git-branch' : revision.kind === 'tag' ? 'tag' : 'git-commit'} />
        <span class="cut ref-name">{revision.kind === 'commit' ? shortOid(revision.name) : revision.name}</span>
        <Icon name="triangle-down" />
      </>
    }
  >
    <MenuFilter list="ref-choices" label={texts.filterRefs} />
    <ul id="ref-choices">
      {refs.branches.map((name) => (
        <Choice
          to={addressOf({ kind: 'branch', name })}
          name={name}
          isTag={false}
          isCurrent={revision.kind === 'branch' && revision.name === name}
        />
      ))}
      {refs.tags.map((name) => (
        <Choice
          to={addressOf({ kind: 'tag', name })}
          name={name}
          isTag
          isCurrent={revision.kind === 'tag' && revision.name === name}
        />
      ))}
    </ul>
    <ul class="menu-foot">
      <li>
        <Link to={repositoryPath(repository, 'branches')}>{texts.allBranches(refs.branchCount)}</Link>
      </li>
      {refs.tagCount === 0 ? null : (
        <li>
          <Link to={repositoryPath(repository, 'tags')}>{texts.allTags(refs.tagCount)}</Link>
        </li>
      )}
    </ul>
  </Menu>
)
