import type { Divergence } from '../../../git/git.ts'
import type { CommitView } from '../../../code/statuses/commit-view.service.ts'
import type { BranchPull } from '../../../pulls/branch-pulls.store.ts'
import { StatusMark } from '../../shared/commit-marks.view.tsx'
import { ActButton, Submit } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { IssueIcon } from '../../ui/issue-icon.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { CopyButton, Empty, Menu, Pages, Tabs, Tag } from '../../ui/parts.tsx'
import { usePage } from '../../ui/page-context.ts'
import { Time } from '../../ui/time.tsx'
import { CommitLink, CommitPerson, CommitSubject, commitUnix } from '../commit-parts.view.tsx'
import { withQuery } from '../../ui/paths.ts'
import { repositoryPath, revisionPath, type RepositoryNames } from '../code-paths.ts'
import { numberText } from '../../languages/amounts.ts'
import { codeTexts as texts } from '../../languages/texts.ts'
import { RowBox } from '../../ui/row-box.tsx'

export interface BranchEntry {
  readonly name: string
  readonly isProtected: boolean
  readonly head: CommitView
  /** Against the default branch; undefined when it is too far to count. */
  readonly divergence: Divergence | undefined
  readonly pull: BranchPull | undefined
}

export interface BranchesProps {
  readonly repository: RepositoryNames
  readonly defaultBranch: string
  readonly entries: readonly BranchEntry[]
  /** The words of the search; empty for all branches. */
  readonly words: string
  readonly page: { readonly number: number; readonly total: number; readonly pageSize: number }
  readonly mayWrite: boolean
  readonly mayAdministrate: boolean
}

/** The tabs between branches and tags. */
export const RefTabs = ({
  repository,
  current,
}: {
  readonly repository: RepositoryNames
  readonly current: 'branches' | 'tags'
}) => (
  <Tabs
    label={texts.refTabs}
    tabs={[
      {
        label: texts.branches,
        to: repositoryPath(repository, 'branches'),
        icon: 'git-branch',
        isCurrent: current === 'branches',
      },
      { label: texts.tags, to: repositoryPath(repository, 'tags'), icon: 'tag', isCurrent: current === 'tags' },
    ]}
  />
)

const NewBranch = ({ repository, defaultBranch }: Pick<BranchesProps, 'repository' | 'defaultBranch'>) => {
  const to = repositoryPath(repository, 'branches')
  const isRefused = usePage().refused?.action === to
  return (
    <details class="menu end" open={isRefused}>
      <summary class="button primary">
        <Icon name="plus" />
        {texts.newBranch}
      </summary>
      <div class="menu-panel form-panel">
        <Form to={to} class="stack tight">
          <Field name="name" label={texts.branchName} required maxlength={100} autofocus />
          <Field name="from" label={texts.branchFrom} value={defaultBranch} isTerse hint={texts.branchFromHint} />
          <Submit>{texts.createBranch}</Submit>
        </Form>
      </div>
    </details>
  )
}

const BranchActs = ({
  repository,
  entry,
  defaultBranch,
  mayWrite,
}: BranchesProps & { readonly entry: BranchEntry }) => {
  const { name, isProtected } = entry
  const isDefault = name === defaultBranch
  const why = isDefault ? texts.defaultStays : isProtected ? texts.protectedStays : undefined
  return (
    <>
      {isDefault || (entry.pull && !entry.pull.is_closed) ? null : (
        <ButtonLink
          kind="quiet"
          class="small icon-only"
          icon="file-diff"
          aria-label={texts.compareNamed(entry.name)}
          title={texts.compareNamed(entry.name)}
          to={withQuery(repositoryPath(repository, 'compare'), { head: name })}
        />
      )}
      {mayWrite ? (
        <>
          <Menu align="end" kind="quiet" class="small" title={texts.renameNamed(name)} label={texts.rename}>
            <Form
              to={repositoryPath(repository, 'branches/rename')}
              hidden={{ from: name }}
              class="stack tight form-panel"
            >
              <Field
                name="to"
                id={`to-${name}`}
                label={texts.newName}
                value={name}
                required
                maxlength={100}
                hint={isDefault ? texts.renameDefaultHint : undefined}
              />
              <Submit kind="plain">{texts.rename}</Submit>
            </Form>
          </Menu>
          <ActButton
            to={repositoryPath(repository, 'branches/delete')}
            hidden={{ name }}
            kind="quiet"
            class="small icon-only"
            icon="trash"
            aria-label={texts.deleteNamed(name)}
            title={why ?? texts.deleteNamed(name)}
            confirm={texts.confirmDeleteBranch(name)}
            disabledBecause={why}
          />
        </>
      ) : null}
    </>
  )
}

/** Half of the bar, in pixels. */
const barHalf = 28
/** Commits that fill a half of the bar. Few commits are to be told apart, many need not be. */
const barFull = 100

const barWidth = (commits: number): number =>
  commits === 0 ? 0 : Math.max(3, Math.round(Math.min(1, Math.log1p(commits) / Math.log1p(barFull)) * barHalf))

/** How far a branch is behind the default branch and ahead of it: numbers at both sides of a small bar. */
const DivergenceBar = ({ base, divergence }: { readonly base: string; readonly divergence: Divergence }) => {
  const { ahead, behind } = divergence
  const [left, right] = [barWidth(behind), barWidth(ahead)]
  return (
    <span class="divergence" title={texts.divergedFrom(base, divergence)}>
      <span class="sr-only">{texts.diverged(divergence)}</span>
      <span class="divergence-behind" aria-hidden="true">
        {numberText(behind)}
      </span>
      <svg width={2 * barHalf + 1} height="8" viewBox={`0 0 ${2 * barHalf + 1} 8`} aria-hidden="true">
        <rect class="track" x="0" y="3.5" width={2 * barHalf + 1} height="1" />
        <rect class="behind" x={barHalf - left} y="1.5" width={left} height="5" rx="1" />
        <rect class="ahead" x={barHalf + 1} y="1.5" width={right} height="5" rx="1" />
        <rect class="middle" x={barHalf} y="0" width="1" height="8" />
      </svg>
      <span class="divergence-ahead" aria-hidden="true">
        {numberText(ahead)}
      </span>
    </span>
  )
}

const Row = (props: BranchesProps & { readonly entry: BranchEntry }) => {
  const { repository, entry, defaultBranch } = props
  const { name, head, isProtected, divergence, pull } = entry
  return (
    <li class="row ref-row">
      <div class="row-main">
        <div class="line">
          <Link class="row-title" to={revisionPath(repository, 'src', { kind: 'branch', name })}>
            {name}
          </Link>
          {name === defaultBranch ? <Tag>{texts.default}</Tag> : null}
          {isProtected ? <Tag icon="shield">{texts.protected}</Tag> : null}
          <CopyButton text={name} label={texts.branchName} />
        </div>
        <div class="row-facts">
          <CommitLink repository={repository} oid={head.commit.oid} />
          <CommitSubject repository={repository} commit={head.commit} class="cut ref-subject" />
          <StatusMark repository={repository} view={head} />
          <CommitPerson identity={head.commit.author} account={head.author} size={16} />
          <Time unix={commitUnix(head.commit)} />
        </div>
      </div>
      <span class="branch-divergence">
        {name === defaultBranch || divergence === undefined ? null : (
          <DivergenceBar base={defaultBranch} divergence={divergence} />
        )}
      </span>
      <span class="branch-pull">
        {pull === undefined ? null : (
          <Link
            to={repositoryPath(repository, `pulls/${pull.index}`)}
            title={pull.title}
            aria-label={texts.pullOf(pull.index, name)}
          >
            <IssueIcon issue={pull} /> #{pull.index}
          </Link>
        )}
      </span>
      <div class="row-side">
        <BranchActs {...props} />
      </div>
    </li>
  )
}

export const BranchesView = (props: BranchesProps) => {
  const { repository, entries, words, page, mayWrite, mayAdministrate } = props
  return (
    <div class="stack">
      <h1 class="sr-only">{texts.branches}</h1>
      <div class="ref-head">
        <RefTabs repository={repository} current="branches" />
        <div class="acts">
          {mayAdministrate ? (
            <ButtonLink icon="shield" class="wide-only" to={repositoryPath(repository, 'settings/branches')}>
              {texts.protection}
            </ButtonLink>
          ) : null}
          {mayWrite && (entries.length > 0 || words !== '') ? <NewBranch {...props} /> : null}
        </div>
      </div>
      <RowBox
        head={
          <>
            <h2>{texts.branchCount(page.total)}</h2>
            <span class="spacer" />
            <Form
              to={repositoryPath(repository, 'branches')}
              method="get"
              role="search"
              class="inline"
              label={texts.findBranch}
            >
              <input
                type="search"
                name="q"
                value={words}
                placeholder={texts.findBranch}
                aria-label={texts.findBranch}
              />
            </Form>
          </>
        }
        rows={entries}
        links
        empty={words === '' ? undefined : <Empty icon="git-branch" title={texts.noBranchOf(words)} />}
        none={
          <Empty icon="git-branch" title={texts.noBranches}>
            <p>{texts.noBranchesHint}</p>
          </Empty>
        }
      >
        {(entry) => <Row {...props} entry={entry} />}
      </RowBox>
      <Pages page={page.number} total={page.total} pageSize={page.pageSize} />
    </div>
  )
}
