import type { RefChoice } from '../../../code/branches/ref-choice.service.ts'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { Menu, Pages } from '../../ui/parts.tsx'
import { RowBox } from '../../ui/row-box.tsx'
import { withQuery } from '../../ui/paths.ts'
import { codeTexts } from '../../languages/texts.ts'
import { comparePath, type SideNames } from '../../shared/compare/compare-address.ts'
import { chosenPath, shownChoices, type SideChoice, type SideName } from './side-choice.ts'

const texts = codeTexts.sides

export interface SideMenuProps {
  readonly side: SideName
  readonly base: SideNames
  readonly head: SideNames
  /** Of the repository of the side. */
  readonly refs: RefChoice
  /** There are other repositories to choose from. */
  readonly hasNetwork: boolean
}

const fullName = ({ owner, repo }: Pick<SideNames, 'owner' | 'repo'>): string => `${owner.name}/${repo.name}`

/** A search by a GET form, which filters what is shown as somebody types. */
const Search = ({
  to,
  name,
  label,
  value,
  hidden,
  list,
}: {
  readonly to: string
  readonly name: string
  readonly label: string
  readonly value?: string
  readonly hidden: Readonly<Record<string, string | undefined>>
  readonly list?: string
}) => (
  <Form to={to} method="get" role="search" hidden={hidden} class="menu-filter" label={label}>
    <input
      type="search"
      name={name}
      placeholder={label}
      aria-label={label}
      value={value}
      {...(list === undefined ? {} : { 'data-filter-list': `#${list}`, autofocus: true })}
    />
  </Form>
)

/** The menu of one side: its newest branches and tags, and the way to all branches and repositories. */
export const SideMenu = ({ side, base, head, refs, hasNetwork }: SideMenuProps) => {
  const current = side === 'base' ? base : head
  const to = comparePath(base, head)
  const list = `refs-${side}`
  const isCut = refs.branchCount > refs.branches.length || refs.tagCount > refs.tags.length
  return (
    <Menu
      class="ref-menu side-menu-of"
      label={
        <>
          <span class="muted">{codeTexts.side(side)}</span>
          {hasNetwork ? <span class="cut side-repo">{fullName(current)}</span> : null}
          <span class="cut ref-name">{current.name}</span>
          <Icon name="triangle-down" />
        </>
      }
    >
      <Search to={to} name="find" label={texts.find} hidden={{ choose: side }} list={list} />
      <ul id={list}>
        {[...refs.branches, ...refs.tags].map((name, index) => (
          <li>
            <Link
              to={chosenPath({ side, base, head }, { ...current, name })}
              aria-current={name === current.name ? 'true' : undefined}
            >
              <Icon name={index < refs.branches.length ? 'git-branch' : 'tag'} />
              <span class="cut">{name}</span>
            </Link>
          </li>
        ))}
      </ul>
      {isCut || hasNetwork ? (
        <ul class="menu-foot">
          {isCut ? (
            <li>
              <Link to={comparePath(base, head, { choose: side })}>{codeTexts.allBranches(refs.branchCount)}</Link>
            </li>
          ) : null}
          {hasNetwork ? (
            <li>
              <Link to={comparePath(base, head, { choose: side })}>{texts.otherRepository}</Link>
            </li>
          ) : null}
        </ul>
      ) : null}
    </Menu>
  )
}

/** The repositories and branches of one side, as lists with searches. */
export const ChooseSide = ({ choice }: { readonly choice: SideChoice }) => {
  const { side, base, head, repos, hasMoreRepos, of, branches, total, page, find, named } = choice
  const to = comparePath(base, head)
  const other = side === 'base' ? head : base
  const shown = branches.filter(
    (name) => !(name === other.name && of.repo.id === other.repo.id && base.repo.id === head.repo.id),
  )
  const ofNames = of.repo.id === choice[side].repo.id ? undefined : fullName(of)
  const hasNetwork = repos.length > 1 || named !== ''
  return (
    <section class={hasNetwork ? 'columns side-first' : 'stack'} aria-label={texts.choose[side]}>
      {hasNetwork ? (
        <nav class="stack tight" aria-label={texts.repositories}>
          <h2 class="side-heading">{texts.repositories}</h2>
          {hasMoreRepos || named !== '' ? (
            <Search to={to} name="named" label={texts.findRepository} value={named} hidden={{ choose: side, find }} />
          ) : null}
          {repos.length === 0 ? <p class="muted">{texts.noRepository}</p> : null}
          <ul class="side-menu">
            {repos.map((repo) => (
              <li>
                <Link
                  to={withQuery(to, { choose: side, of: fullName(repo), named })}
                  aria-current={repo.repo.id === of.repo.id ? 'page' : undefined}
                >
                  <Icon name={repo.repo.is_private ? 'lock' : repo.repo.is_fork ? 'repo-forked' : 'repo'} />
                  <span class="cut">{fullName(repo)}</span>
                </Link>
              </li>
            ))}
          </ul>
          {hasMoreRepos ? <p class="muted hint">{texts.moreRepositories}</p> : null}
        </nav>
      ) : null}
      <div class="stack">
        <RowBox
          rows={shown}
          links
          head={
            <>
              <h2>{texts.branchesOf(side, hasNetwork ? fullName(of) : undefined)}</h2>
              {total > shownChoices || find !== '' ? (
                <Search to={to} name="find" label={texts.find} value={find} hidden={{ choose: side, of: ofNames }} />
              ) : null}
            </>
          }
          empty={<p class="box-body muted">{find === '' ? texts.noBranch : texts.noBranchNamed(find)}</p>}
        >
          {(name) => (
            <li class="row">
              <Icon name="git-branch" />
              <Link class="row-main row-title" to={chosenPath(choice, { ...of, name })} data-row-link="">
                {name}
              </Link>
            </li>
          )}
        </RowBox>
        <Pages page={page} total={total} pageSize={shownChoices} />
      </div>
    </section>
  )
}
