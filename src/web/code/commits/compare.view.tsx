import type { RefChoice } from '../../../code/branches/ref-choice.service.ts'
import type { CommitView } from '../../../code/statuses/commit-view.service.ts'
import type { DiffViewProps } from '../../ui/diff/diff-props.ts'
import { DiffView } from '../../ui/diff/diff.view.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { Empty, Menu, MenuFilter, PageHead } from '../../ui/parts.tsx'
import { NewPullForm } from '../../pulls/new-pull.view.tsx'
import { CommitList } from './commits.view.tsx'
import { messageBody, subjectOf } from '../../../code/commits/message.rules.ts'
import { repositoryPath, type RepositoryNames } from '../code-paths.ts'
import { codeTexts as texts } from '../../languages/texts.ts'
import { RowBox } from '../../ui/row-box.tsx'

export interface CompareProps {
  readonly repository: RepositoryNames
  readonly names: { readonly base: string; readonly head: string }
  readonly refs: RefChoice
  readonly total: number
  readonly views: readonly CommitView[]
  /** Both sides are in this repository. */
  readonly isHere: boolean
  readonly mayOpenPull: boolean
  readonly difference: DiffViewProps
}

/** The menu of one side. */
const Side = ({ repository, names, refs, side }: CompareProps & { readonly side: 'base' | 'head' }) => (
  <Menu
    class="ref-menu"
    label={
      <>
        <span class="muted">{texts.side(side)}</span>
        <span class="cut ref-name">{names[side]}</span>
        <Icon name="triangle-down" />
      </>
    }
  >
    <MenuFilter list={`refs-${side}`} label={texts.filterRefs} />
    <ul id={`refs-${side}`}>
      {[...refs.branches, ...refs.tags].map((name) => {
        const changed = { ...names, [side]: name }
        return (
          <li>
            <Link
              to={repositoryPath(repository, 'compare', `${changed.base}...${changed.head}`)}
              aria-current={name === names[side] ? 'true' : undefined}
            >
              <Icon name={refs.branches.includes(name) ? 'git-branch' : 'tag'} />
              <span class="cut">{name}</span>
            </Link>
          </li>
        )
      })}
    </ul>
  </Menu>
)

/** The form of a pull request, closed until it is wanted. A single commit gives its title and text. */
const NewPull = ({ repository, names, total, views }: CompareProps) => {
  const message = total === 1 ? (views[0]?.commit.message ?? '') : ''
  return (
    <details class="new-pull-part">
      <summary class="button primary">
        <Icon name="git-pull-request" />
        {texts.createPull}
      </summary>
      <NewPullForm
        repository={{ owner: repository.owner.name, name: repository.repo.name }}
        base={names.base}
        head={names.head}
        title={message === '' ? names.head : subjectOf(message)}
        description={messageBody(message)}
      />
    </details>
  )
}

/** The other branches, when nobody has chosen one. */
const ChooseHead = ({ repository, names, refs }: CompareProps) => {
  const others = refs.branches.filter((name) => name !== names.base).slice(0, 20)
  if (others.length === 0) {
    return (
      <Empty icon="git-branch" title={texts.noOtherBranch}>
        <p>{texts.noOtherBranchHint(names.base)}</p>
        <ButtonLink to={repositoryPath(repository, 'branches')}>{texts.showBranches}</ButtonLink>
      </Empty>
    )
  }
  return (
    <RowBox head={<h2>{texts.chooseHead(names.base)}</h2>} rows={others} links>
      {(name) => (
        <li class="row">
          <Icon name="git-branch" />
          <Link
            class="row-main row-title"
            to={repositoryPath(repository, 'compare', `${names.base}...${name}`)}
            data-row-link=""
          >
            {name}
          </Link>
        </li>
      )}
    </RowBox>
  )
}

export const CompareView = (props: CompareProps) => {
  const { repository, names, total, views, mayOpenPull, difference } = props
  return (
    <div class="stack">
      <PageHead title={texts.compareTitle} lead={texts.compareLead} />
      <div class="code-bar">
        <Side {...props} side="base" />
        <Icon name="arrow-left" />
        <Side {...props} side="head" />
      </div>
      {names.base === names.head ? (
        <ChooseHead {...props} />
      ) : total === 0 ? (
        <Empty icon="git-commit" title={texts.nothingToCompare}>
          <p>{texts.nothingToCompareHint(names.base, names.head)}</p>
          <ButtonLink to={repositoryPath(repository, 'compare', `${names.head}...${names.base}`)}>
            {texts.swapSides}
          </ButtonLink>
        </Empty>
      ) : (
        <>
          {mayOpenPull ? <NewPull {...props} /> : null}
          <details class="compare-commits" open={total <= 10}>
            <summary>{texts.commits(total)}</summary>
            <CommitList repository={repository} views={views} />
            {total > views.length ? <p class="muted">{texts.moreCommits(total - views.length)}</p> : null}
          </details>
          <DiffView {...difference} />
        </>
      )}
    </div>
  )
}
