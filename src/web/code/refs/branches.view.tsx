import type { Divergence } from '../../../git/git.ts'
import type { CommitView } from '../../../code/statuses/commit-view.service.ts'
import { StatusMark } from '../../shared/commit-marks.view.tsx'
import { RemoveButton, Submit } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { CopyButton, Empty, Menu, Pages, Tabs, Tag } from '../../ui/parts.tsx'
import { usePage } from '../../ui/page-context.ts'
import { Time } from '../../ui/time.tsx'
import { CommitLink, CommitPerson, CommitSubject, commitUnix } from '../commit-parts.view.tsx'
import { withQuery } from '../../ui/paths.ts'
import { repositoryPath, revisionPath, type RepositoryNames } from '../code-paths.ts'
import { uiTexts as common } from '../../languages/texts.ts'
import { codeTexts as texts } from '../../languages/texts.ts'
import { RowBox } from '../../ui/row-box.tsx'

export interface BranchEntry {
  readonly name: string
  readonly isProtected: boolean
  readonly head: CommitView
  /** Against the default branch; undefined when it is too far to count. */
  readonly divergence: Divergence | undefined
}

export interface BranchesProps {
  readonly repository: RepositoryNames
  readonly defaultBranch: string
  readonly entries: readonly BranchEntry[]
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
      {isDefault ? null : (
        <ButtonLink
          kind="quiet"
          class="small"
          icon="git-pull-request"
          to={withQuery(repositoryPath(repository, 'compare'), { head: name })}
        >
          {texts.compare}
        </ButtonLink>
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
          <RemoveButton
            to={repositoryPath(repository, 'branches/delete')}
            hidden={{ name }}

            label={texts.deleteNamed(name)}
            confirm={texts.confirmDeleteBranch(name)}
            disabledBecause={why}
          >
            {common.delete}
          </RemoveButton>
        </>
      ) : null}
    </>
  )
}

const Row = (props: BranchesProps & { readonly entry: BranchEntry }) => {
  const { repository, entry, defaultBranch } = props
  const { name, head, isProtected, divergence } = entry
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
          {name === defaultBranch || divergence === undefined ? null : (
            <span title={texts.divergedFrom(defaultBranch, divergence)}>{texts.diverged(divergence)}</span>
          )}
        </div>
      </div>
      <div class="row-side">
        <BranchActs {...props} />
      </div>
    </li>
  )
}

export const BranchesView = (props: BranchesProps) => {
  const { repository, entries, page, mayWrite, mayAdministrate } = props
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
          {mayWrite && entries.length > 0 ? <NewBranch {...props} /> : null}
        </div>
      </div>
      <RowBox
        head={<h2>{texts.branchCount(page.total)}</h2>}
        rows={entries}
        links
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
