import type { RewrittenCommit } from '../../git/git.ts'
import type { ForcedPush, Rewrite } from '../../pulls/reviews/rewrite.service.ts'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import { Empty, Tag } from '../ui/parts.tsx'
import { pathOf } from '../ui/paths.ts'
import { PullHead, type PullHeadProps } from './pull-head.view.tsx'
import type { RepositoryAddress } from './pull-paths.ts'
import { rewriteTexts as texts } from '../languages/texts.ts'
import { RowBox } from '../ui/row-box.tsx'

/** The commits of a rewritten branch, each beside the one that it replaced. */
export const RewriteView = ({
  repository,
  rewrite,
  title = texts.title,
  hint = texts.hint,
}: {
  readonly repository: RepositoryAddress
  readonly rewrite: Rewrite
  readonly title?: string
  readonly hint?: string
}) => (
  <section class="rewrite">
    <h2>{title}</h2>
    <p class="muted small">{hint}</p>
    {rewrite.isBounded ? <p class="muted small">{texts.bounded}</p> : null}
    <RowBox rows={rewrite.commits}>
      {(commit) => (
        <li class="row">
          <Pair {...{ repository, commit }} />
        </li>
      )}
    </RowBox>
  </section>
)

const tones = { same: 'neutral', changed: 'accent', removed: 'danger', added: 'good' } as const

const Pair = ({ repository, commit }: { readonly repository: RepositoryAddress; readonly commit: RewrittenCommit }) => {
  const head = (
    <>
      <span class="rewrite-subject">{commit.subject}</span>
      <Tag tone={tones[commit.state]}>{texts.states[commit.state]}</Tag>
    </>
  )
  return (
    <div class="rewrite-pair">
      <p class="rewrite-ids">
        <CommitId {...{ repository }} oid={commit.oldOid} />
        <Icon name="arrow-right" />
        <CommitId {...{ repository }} oid={commit.newOid} />
      </p>
      {commit.lines.length === 0 ? (
        <p class="rewrite-head">{head}</p>
      ) : (
        <details>
          <summary class="rewrite-head">{head}</summary>
          <pre class="rewrite-lines" tabIndex={0}>
            {commit.lines.map((line) => (
              <span class={classOf(line)}>{`${line}\n`}</span>
            ))}
          </pre>
        </details>
      )}
    </div>
  )
}

const CommitId = ({ repository, oid }: { readonly repository: RepositoryAddress; readonly oid: string | undefined }) =>
  oid === undefined ? (
    <span class="muted mono">{texts.none}</span>
  ) : (
    <Link class="mono" to={pathOf(repository.owner, repository.name, 'commit', oid)}>
      {oid.slice(0, 10)}
    </Link>
  )

const classOf = (line: string): string | undefined =>
  line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : line.startsWith('@@') ? 'muted' : undefined

interface PushProps extends Omit<PullHeadProps, 'tab'> {
  readonly push: ForcedPush
}

/** What a forced push changed. */
export const PushView = ({ push, ...head }: PushProps) => {
  const { repository } = head
  return (
    <>
      <PullHead {...head} tab="conversation" />
      <p>
        {texts.pushHeads(
          <CommitId {...{ repository }} oid={push.old} />,
          <CommitId {...{ repository }} oid={push.new} />,
        )}
      </p>
      {push.rewrite === undefined ? (
        <Empty icon="git-commit" title={texts.pushTitle}>
          <p>{push.isGone ? texts.gone : texts.onlyAdded}</p>
        </Empty>
      ) : (
        <RewriteView {...{ repository }} rewrite={push.rewrite} title={texts.pushTitle} hint={texts.pushHint} />
      )}
    </>
  )
}
