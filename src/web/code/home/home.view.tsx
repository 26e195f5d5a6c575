import type { RefChoice } from '../../../code/branches/ref-choice.service.ts'
import type { CommitView } from '../../../code/statuses/commit-view.service.ts'
import type { NamedCommit } from '../../../code/commits/named-commit.service.ts'
import type { ForkStanding } from '../../../code/branches/sync-fork.service.ts'
import type { RecentBranch } from '../../../pulls/recent-branch.service.ts'
import type { Folder } from '../../../code/contents/folder.service.ts'
import type { ReleaseRow } from '../../../db/tables/releases.ts'
import type { RepoRow } from '../../../db/tables/repositories.ts'
import type { FailingMirror } from '../../../repos/mirrors/failing-mirror.service.ts'
import { environmentPath } from '../../actions/actions-paths.ts'
import { ActButton, SubmitRow } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ButtonLink, Link, OutsideLink } from '../../ui/link.tsx'
import { usePage } from '../../ui/page-context.ts'
import { Commands, Empty } from '../../ui/parts.tsx'
import { sizeText } from '../../languages/amounts.ts'
import { Time } from '../../ui/time.tsx'
import { AddFile } from '../files/add-file.view.tsx'
import { CloneMenu, ClonePanel, type CloneAddresses } from './clone.view.tsx'
import { repositoryPath, revisionPath, type RepositoryNames } from '../code-paths.ts'
import { comparePath } from '../../shared/compare/compare-address.ts'
import { RecentBranches } from '../../shared/compare/recent-branches.view.tsx'
import { FindLink } from '../files/find-link.view.tsx'
import { FolderTable } from '../files/folder.view.tsx'
import { FailingMirrors } from './failing-mirrors.view.tsx'
import { LanguagesBar, type LanguageShare } from './languages.view.tsx'
import { ReadmeBox } from './readme.view.tsx'
import type { Readme } from './readme.ts'
import { RefMenu } from '../ref-menu.view.tsx'
import { actionsTexts, codeTexts as texts } from '../../languages/texts.ts'

export interface HomeProps {
  readonly repository: RepositoryNames
  readonly repo: RepoRow
  readonly addresses: CloneAddresses
  readonly failingMirrors: readonly FailingMirror[]
  readonly mayWrite: boolean
  /** The viewer may add files here, or propose them. */
  readonly mayAdd: boolean
  readonly about: {
    readonly topics: readonly string[]
    readonly languages: readonly LanguageShare[]
    readonly release: ReleaseRow | undefined
    readonly hasEnvironments: boolean
    readonly mayEdit: boolean
  }
  readonly code:
    | { readonly kind: 'empty' | 'no_default' }
    | {
        readonly kind: 'shown'
        readonly revision: NamedCommit
        readonly folder: Folder
        readonly latest: CommitView
        readonly refs: RefChoice
        readonly commitCount: number
        /** How a fork stands to its origin, when the viewer may read that. */
        readonly standing: ForkStanding | undefined
        readonly recent: readonly RecentBranch[]
        readonly readme: Readme | undefined
      }
}

export const HomeView = (props: HomeProps) => {
  const { repository, repo, code, addresses, mayAdd } = props
  const { viewer } = usePage()
  if (code.kind === 'empty') return <EmptyHome {...props} />
  return (
    <div class="columns code-home">
      <h1 class="sr-only">{`${repository.owner.name}/${repo.name}`}</h1>
      <div class="stack">
        <FailingMirrors repository={repository} mirrors={props.failingMirrors} />
        {code.kind === 'shown' ? (
          <>
            <div class="code-bar">
              <RefMenu
                repository={repository}
                revision={code.revision}
                refs={code.refs}
                addressOf={(to) => revisionPath(repository, 'src', to)}
              />
              <Link class="bar-link" to={repositoryPath(repository, 'branches')}>
                <Icon name="git-branch" />
                {texts.branchCount(code.refs.branchCount)}
              </Link>
              <Link class="bar-link" to={repositoryPath(repository, 'tags')}>
                <Icon name="tag" />
                {texts.tagCount(code.refs.tagCount)}
              </Link>
              <span class="spacer" />
              <FindLink repository={repository} revision={code.revision} />
              {repo.is_template && viewer ? (
                <ButtonLink
                  icon="repo-template"
                  to={repositoryPath(repository, 'generate')}
                  aria-label={texts.useTemplate}
                >
                  <span class="wide-only">{texts.useTemplate}</span>
                </ButtonLink>
              ) : null}
              {mayAdd ? <AddFile repository={repository} branch={code.revision.name} path="" /> : null}
              <CloneMenu repository={repository} addresses={addresses} revision={code.revision} />
            </div>
            <RecentBranches branches={code.recent} />
            {code.standing === undefined ? null : <Standing {...props} standing={code.standing} />}
            <FolderTable
              repository={repository}
              revision={code.revision}
              path=""
              folder={code.folder}
              latest={code.latest}
              commitCount={code.commitCount}
            />
            {code.readme === undefined ? (
              <NoReadme {...props} branch={code.revision.name} />
            ) : (
              <ReadmeBox repository={repository} revision={code.revision} readme={code.readme} />
            )}
          </>
        ) : (
          <Empty icon="git-branch" title={texts.noDefaultBranch(repo.default_branch)}>
            <p>{texts.noDefaultBranchHint}</p>
            <ButtonLink to={repositoryPath(repository, 'branches')}>{texts.showBranches}</ButtonLink>
          </Empty>
        )}
      </div>
      <About {...props} />
    </div>
  )
}

/** How a fork stands to its origin, and what can be done about it. */
const Standing = ({
  repository,
  repo,
  mayWrite,
  standing,
}: Pick<HomeProps, 'repository' | 'repo' | 'mayWrite'> & { readonly standing: ForkStanding }) => {
  const { ahead, behind, origin, originBranch, canFollow, takesPulls } = standing
  if (ahead === 0 && behind === 0) return null
  const fork = { repo, owner: standing.owner, name: repo.default_branch }
  const base = { ...origin, name: originBranch }
  const name = <Link to={repositoryPath(origin)}>{`${origin.owner.name}/${origin.repo.name}`}</Link>
  return (
    <div class="fork-state">
      <Icon name="repo-forked" />
      <span>{texts.standing.aheadBehind(ahead, behind, name)}</span>
      {ahead > 0 && takesPulls ? (
        <ButtonLink to={comparePath(base, fork, { open: 1 })} class="small" icon="git-pull-request">
          {texts.standing.open}
        </ButtonLink>
      ) : null}
      {canFollow && mayWrite ? (
        <ActButton to={repositoryPath(repository, 'sync_fork')} class="small" icon="sync">
          {texts.standing.sync}
        </ActButton>
      ) : behind > 0 ? (
        <ButtonLink to={comparePath(fork, base)} kind="quiet" class="small">
          {texts.standing.merge}
        </ButtonLink>
      ) : null}
    </div>
  )
}

const NoReadme = ({ repository, mayWrite, branch }: HomeProps & { readonly branch: string }) =>
  mayWrite ? (
    <Empty icon="book" title={texts.noReadme}>
      <p>{texts.noReadmeHint}</p>
      <ButtonLink to={`${repositoryPath(repository, '_new', branch)}?name=README.md`}>{texts.addReadme}</ButtonLink>
    </Empty>
  ) : null

const About = ({ repository, repo, about }: HomeProps) => (
  <aside class="about" aria-label={texts.about}>
    <section>
      <h2>{texts.about}</h2>
      {repo.description === '' ? (
        <p class="muted">
          {texts.noDescription}{' '}
          {about.mayEdit ? <Link to={repositoryPath(repository, 'settings')}>{texts.addDescription}</Link> : null}
        </p>
      ) : (
        <p>{repo.description}</p>
      )}
      {repo.website === '' ? null : (
        <p class="line one">
          <Icon name="link-external" />
          <OutsideLink class="cut" href={repo.website}>
            {repo.website.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '')}
          </OutsideLink>
        </p>
      )}
      {about.topics.length === 0 ? null : (
        <ul class="topics" aria-label={texts.topics}>
          {about.topics.map((topic) => (
            <li>
              <Link class="topic" to={`/explore/repos?q=${encodeURIComponent(topic)}&topic=1`}>
                {topic}
              </Link>
            </li>
          ))}
        </ul>
      )}
      {about.mayEdit ? <TopicsForm repository={repository} topics={about.topics} /> : null}
      <ul class="about-facts">
        <li>
          <Icon name="pulse" />
          <Link to={repositoryPath(repository, 'activity')}>{texts.activity}</Link>
        </li>
        <li>
          <Icon name="people" />
          <Link to={repositoryPath(repository, 'graphs/contributors')}>{texts.contributors}</Link>
        </li>
        {about.hasEnvironments ? (
          <li>
            <Icon name="server" />
            <Link to={environmentPath({ owner: repository.owner, repo })}>{actionsTexts.environments.title}</Link>
          </li>
        ) : null}
        <li>
          <Icon name="database" />
          {sizeText(repo.git_size_bytes + repo.lfs_size_bytes)}
        </li>
      </ul>
    </section>
    {about.release === undefined ? null : (
      <section>
        <h2>
          <Link class="quiet-link" to={repositoryPath(repository, 'releases')}>
            {texts.latestRelease}
          </Link>
        </h2>
        <p class="line one">
          <Icon name="tag" />
          <Link class="cut" to={repositoryPath(repository, 'releases/tag', about.release.tag_name)}>
            {about.release.title === '' ? about.release.tag_name : about.release.title}
          </Link>
          <span class="muted nowrap">
            <Time unix={about.release.created_unix} />
          </span>
        </p>
      </section>
    )}
    {about.languages.length === 0 ? null : (
      <section>
        <h2>{texts.languages}</h2>
        <LanguagesBar languages={about.languages} />
      </section>
    )}
  </aside>
)

const TopicsForm = ({ repository, topics }: Pick<HomeProps, 'repository'> & { readonly topics: readonly string[] }) => {
  const { refused } = usePage()
  const to = repositoryPath(repository, 'topics')
  return (
    <details class="more-options topics-form" open={refused?.action === to}>
      <summary>{topics.length === 0 ? texts.addTopics : texts.editTopics}</summary>
      <Form isEdit to={to} class="stack tight" label={texts.editTopics}>
        <Field
          name="topics"
          label={texts.topics}
          isLabelHidden
          isTerse
          value={topics.join(', ')}
          hint={texts.topicsHint}
        />
        <SubmitRow kind="plain">{texts.saveTopics}</SubmitRow>
      </Form>
    </details>
  )
}

const EmptyHome = ({ repository, repo, addresses, mayWrite, failingMirrors }: HomeProps) => {
  const { config } = usePage()
  const address = addresses.http ?? addresses.ssh ?? ''
  return (
    <div class="narrow stack empty-repository">
      <div class="page-head">
        <div>
          <h1>{texts.emptyTitle}</h1>
          <p class="lead">{mayWrite ? texts.emptyLead : texts.emptyForReaders}</p>
        </div>
        {mayWrite ? (
          <div class="acts">
            <ButtonLink kind="primary" icon="file" to={repositoryPath(repository, '_new', repo.default_branch)}>
              {texts.newFile}
            </ButtonLink>
            {config.repositoryUpload.enabled ? (
              <ButtonLink icon="upload" to={repositoryPath(repository, '_upload', repo.default_branch)}>
                {texts.uploadHere}
              </ButtonLink>
            ) : null}
          </div>
        ) : null}
      </div>
      <FailingMirrors repository={repository} mirrors={failingMirrors} />
      <ClonePanel addresses={addresses} />
      {mayWrite ? (
        <>
          <section class="stack tight">
            <h2>{texts.pushExisting}</h2>
            <Commands
              label={texts.pushExisting}
              text={`git remote add origin ${address}\ngit push -u origin HEAD:${repo.default_branch}`}
            />
          </section>
          <section class="stack tight">
            <h2>{texts.startNew}</h2>
            <Commands
              label={texts.startNew}
              text={[
                `git clone ${address}`,
                `cd ${repo.name}`,
                `git switch -c ${repo.default_branch}`,
                `echo "# ${repo.name}" > README.md`,
                'git add README.md',
                'git commit -m "Add README"',
                `git push -u origin ${repo.default_branch}`,
              ].join('\n')}
            />
          </section>
        </>
      ) : null}
    </div>
  )
}
