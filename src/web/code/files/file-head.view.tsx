import type { CommitView } from '../../../code/statuses/commit-view.service.ts'
import type { NamedCommit } from '../../../code/commits/named-commit.service.ts'
import type { FileView } from '../../../code/contents/file.service.ts'
import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icons.ts'
import { ButtonLink, Link } from '../../ui/link.tsx'
import { usePage } from '../../ui/page-context.ts'
import { NarrowMenu } from '../../ui/parts.tsx'
import { siteHref } from '../../ui/paths.ts'
import { sizeText } from '../../languages/amounts.ts'
import { LatestCommit } from '../commit-parts.view.tsx'
import { deletePath, editPath, revisionPath, type RepositoryNames } from '../code-paths.ts'
import type { Editing } from '../editing.ts'
import { codeTexts as texts } from '../../languages/texts.ts'

/** How the content of a file is shown. */
type Display = 'preview' | 'source' | 'blame' | 'other'

export interface FileHeadProps {
  readonly repository: RepositoryNames
  readonly revision: NamedCommit
  readonly path: string
  readonly editing: Editing
  /** The last commit that touched the file. */
  readonly latest: CommitView
  readonly file: FileView
  readonly display: Display
  /** Whether the file has a form besides its lines, such as rendered Markdown. */
  readonly mayPreview: boolean
  /** Number of lines, when they are counted. */
  readonly lineCount: number | undefined
}

/** The address of a file's bytes; a large file's are behind its pointer. */
export const bytesPath = ({
  repository,
  revision,
  path,
  file,
}: Pick<FileHeadProps, 'repository' | 'revision' | 'path' | 'file'>): string =>
  revisionPath(repository, file.body.kind === 'pointer' ? 'media' : 'raw', revision, path)

const Facts = ({ file, lineCount }: FileHeadProps) => {
  const { body } = file
  const sizeBytes = body.kind === 'pointer' ? body.largeSizeBytes : file.sizeBytes
  return (
    <div class="facts">
      {lineCount === undefined ? null : <span>{texts.lines(lineCount)}</span>}
      <span>{sizeText(sizeBytes)}</span>
      {body.kind === 'pointer' ? <span>{texts.storedInLfs}</span> : null}
      {body.kind === 'text' && body.encoding !== 'utf-8' ? <span>{body.encoding}</span> : null}
      {file.entry.mode === '100755' ? <span>{texts.executable}</span> : null}
      {body.kind === 'link' ? <span>{texts.symbolicLink}</span> : null}
    </div>
  )
}

/** Switches between preview, code and blame. */
const DisplaySwitch = ({ repository, revision, path, file, display, mayPreview }: FileHeadProps) => {
  if (file.body.kind !== 'text' || display === 'other') return null
  const here = revisionPath(repository, 'src', revision, path)
  const blame = revisionPath(repository, 'blame', revision, path)
  const isBlame = display === 'blame'
  return (
    <div class="button-group">
      {mayPreview ? (
        <Link class="button small" to={here} aria-current={display === 'preview' ? 'page' : undefined}>
          {texts.preview}
        </Link>
      ) : null}
      <Link
        class="button small"
        to={mayPreview ? `${here}?display=source` : here}
        aria-current={display === 'source' ? 'page' : undefined}
        data-hotkey={isBlame ? 'b' : undefined}
      >
        {texts.code}
      </Link>
      <Link
        class="button small"
        to={blame}
        aria-current={isBlame ? 'page' : undefined}
        data-hotkey={isBlame ? undefined : 'b'}
      >
        {texts.blame}
      </Link>
    </div>
  )
}

/** A link that changes the file, or why it is not possible. */
const ChangeLink = ({
  to,
  icon,
  label,
  editing,
  hotkey,
}: {
  readonly to: string
  readonly icon: IconName
  readonly label: string
  readonly editing: Editing
  readonly hotkey?: string
}) => {
  if (editing.isOffered) {
    return (
      <ButtonLink
        kind="quiet"
        class="small icon-only"
        icon={icon}
        to={to}
        aria-label={label}
        title={label}
        data-hotkey={hotkey}
      >
        <span class="narrow-only">{label}</span>
      </ButtonLink>
    )
  }
  return editing.reason === undefined ? null : (
    <button type="button" class="button quiet small icon-only" disabled aria-label={label} title={editing.reason}>
      <Icon name={icon} />
      <span class="narrow-only">{label}</span>
    </button>
  )
}

const Acts = (props: FileHeadProps) => {
  const { repository, revision, path, editing, file, display } = props
  const { config } = usePage()
  const branch = editing.isOffered ? editing.branch : ''
  const isText = file.body.kind === 'text'
  return (
    <NarrowMenu title={texts.fileActs}>
      <div class="button-group">
        <ButtonLink class="small" to={bytesPath(props)} data-turbo="false">
          {texts.raw}
        </ButtonLink>
        {revision.kind === 'commit' ? null : (
          <ButtonLink
            class="small"
            to={revisionPath(repository, 'src', { kind: 'commit', name: revision.commit }, path)}
            title={texts.permalinkHint}
          >
            {texts.permalink}
          </ButtonLink>
        )}
      </div>
      <div class="line one icon-acts">
        {display !== 'other' && file.body.kind === 'text' && file.body.encoding === 'utf-8' && file.sizeBytes > 0 ? (
          <button
            type="button"
            class="button quiet small icon-only needs-script"
            data-copy-url={siteHref(config, bytesPath(props))}
            aria-label={texts.copyContent}
            title={texts.copyContent}
          >
            <Icon name="copy" />
            <span class="narrow-only">{texts.copyContent}</span>
          </button>
        ) : null}
        <ButtonLink
          kind="quiet"
          class="small icon-only"
          icon="download"
          to={bytesPath(props)}
          download
          data-turbo="false"
          aria-label={texts.download}
          title={texts.download}
        >
          <span class="narrow-only">{texts.download}</span>
        </ButtonLink>
        {isText ? (
          <ChangeLink
            to={editPath(repository, branch, path)}
            icon="pencil"
            label={texts.editFile}
            editing={editing}
            hotkey="e"
          />
        ) : null}
        <ChangeLink to={deletePath(repository, branch, path)} icon="trash" label={texts.deleteFile} editing={editing} />
      </div>
    </NarrowMenu>
  )
}

/** The head of a file's box: its last commit, then what the file is and the acts on it. */
export const FileHead = (props: FileHeadProps) => (
  <div class="box-head file-head">
    <LatestCommit repository={props.repository} revision={props.revision} path={props.path} view={props.latest} />
    <div class="file-line">
      <Facts {...props} />
      <DisplaySwitch {...props} />
      <Acts {...props} />
    </div>
  </div>
)
