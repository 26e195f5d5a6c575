import type { LinkedText } from '../../../site/render.service.ts'
import { shownState } from '../../../code/statuses/shown-state.ts'
import type { CommitView } from '../../../code/statuses/commit-view.service.ts'
import { SignatureFact } from '../../shared/commit-marks.view.tsx'
import type { LineAnnotations } from '../../actions/line-annotations.ts'
import { AnnotatedRuns, annotationsBelow } from '../../actions/line-annotations.view.tsx'
import type { DiffViewProps } from '../../ui/diff/diff-props.ts'
import { DiffView } from '../../ui/diff/diff.view.tsx'
import { CheckIcon, descriptionOfCheck } from '../../ui/check-icon.tsx'
import { Icon } from '../../ui/icon.tsx'
import { TitleText } from '../../ui/title-text.tsx'
import { ButtonLink, Link, OutsideLink } from '../../ui/link.tsx'
import { Box, CopyButton, InlineMarkup, Menu } from '../../ui/parts.tsx'
import { usePage } from '../../ui/page-context.ts'
import { Time } from '../../ui/time.tsx'
import { CommitLink, CommitPerson, commitUnix } from '../commit-parts.view.tsx'
import { replayPath, repositoryPath, revisionPath, type RepositoryNames } from '../code-paths.ts'
import { codeTexts as texts } from '../../languages/texts.ts'
import { RowBox } from '../../ui/row-box.tsx'

export interface CommitPageProps {
  readonly repository: RepositoryNames
  readonly view: CommitView
  readonly title: LinkedText
  readonly message: LinkedText
  /** The branch on which the viewer may revert or repeat the commit, unless another is chosen. */
  readonly replayOn: string | undefined
  readonly difference: DiffViewProps
  readonly annotations: LineAnnotations
}

/** The checks of a commit. */
const Checks = ({ view: { statuses } }: Pick<CommitPageProps, 'view'>) => {
  const { config } = usePage()
  return (
    <RowBox id="checks" head={<h2>{texts.checksTitle}</h2>} rows={statuses}>
      {(status) => {
        const isHere = status.target_url.startsWith('/') && !status.target_url.startsWith('//')
        return (
          <li class="row check-row">
            <CheckIcon state={shownState(status)} />
            <strong>{status.context}</strong>
            <span class="muted cut">{descriptionOfCheck(status)}</span>
            <span class="spacer" />
            {status.target_url === '' ? null : isHere ? (
              <a href={`${config.server.subPath}${status.target_url}`}>{texts.details}</a>
            ) : (
              <OutsideLink href={status.target_url}>{texts.details}</OutsideLink>
            )}
          </li>
        )
      }}
    </RowBox>
  )
}

const Head = ({ repository, view, title, message, replayOn }: Omit<CommitPageProps, 'difference' | 'annotations'>) => {
  const { commit, author, committer, verification } = view
  const hasOtherCommitter =
    commit.author.email !== commit.committer.email || commit.author.name !== commit.committer.name
  return (
    <Box class="commit-head">
      <div class="box-body">
        <div class="page-head">
          <div>
            <h1>
              {title.hasMarkup ? (
                <InlineMarkup html={title.html} />
              ) : (
                <TitleText text={title.text || texts.noMessage} />
              )}
            </h1>
            {message.text === '' ? null : (
              <pre class="commit-message">
                {message.hasMarkup ? <InlineMarkup html={message.html} /> : message.text}
              </pre>
            )}
          </div>
          <div class="acts">
            <ButtonLink icon="code" to={revisionPath(repository, 'src', { kind: 'commit', name: commit.oid })}>
              {texts.browseHere}
            </ButtonLink>
            <Menu
              kind="quiet"
              align="end"
              class="icon-only"
              title={texts.otherForms}
              label={<Icon name="kebab-horizontal" />}
            >
              {replayOn === undefined ? null : (
                <ul>
                  <li>
                    <Link to={replayPath(repository, true, commit.oid, replayOn)}>{texts.revert}</Link>
                  </li>
                  <li>
                    <Link to={replayPath(repository, false, commit.oid, replayOn)}>{texts.cherryPick}</Link>
                  </li>
                </ul>
              )}
              <ul>
                {(['diff', 'patch'] as const).map((form) => (
                  <li>
                    <Link to={`${repositoryPath(repository, 'commit', commit.oid)}.${form}`} data-turbo="false">
                      {texts.downloadForm(form)}
                    </Link>
                  </li>
                ))}
              </ul>
            </Menu>
          </div>
        </div>
        <div class="facts commit-facts">
          <CommitPerson identity={commit.author} account={author} />
          <span>
            {texts.authored} <Time unix={commit.author.unixSeconds} />
          </span>
          {hasOtherCommitter ? (
            <>
              <CommitPerson identity={commit.committer} account={committer} />
              <span>
                {texts.committed} <Time unix={commitUnix(commit)} />
              </span>
            </>
          ) : null}
          <SignatureFact verification={verification} />
        </div>
      </div>
      <div class="box-foot facts">
        <span>
          {commit.parents.length === 0 ? texts.noParents : texts.parents(commit.parents.length)}{' '}
          {commit.parents.map((oid, index) => (
            <>
              {index === 0 ? null : ' + '}
              <CommitLink repository={repository} oid={oid} />
            </>
          ))}
        </span>
        <span class="spacer" />
        <span class="line one whole-oid">
          <span class="mono cut">{commit.oid}</span>
          <CopyButton text={commit.oid} label={texts.commitId} />
        </span>
      </div>
    </Box>
  )
}

export const CommitPageView = ({ difference, annotations, ...head }: CommitPageProps) => (
  <div class="stack">
    <Head {...head} />
    <Checks view={head.view} />
    <DiffView
      {...difference}
      below={annotationsBelow(head.repository, annotations)}
      tools={<AnnotatedRuns {...head.repository} annotations={annotations} />}
    />
  </div>
)
