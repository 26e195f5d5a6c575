import type { NamedCommit } from '../../code/commits/named-commit.service.ts'
import type { FileView } from '../../code/contents/file.service.ts'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icons.ts'
import { ButtonLink, Link } from '../ui/link.tsx'
import { siteHref } from '../ui/paths.ts'
import { usePage } from '../ui/page-context.ts'
import { Box, Empty, Markup, NarrowMenu, Pages } from '../ui/parts.tsx'
import { sizeText } from '../ui/texts.tsx'
import { CodeLines } from './code-lines.view.tsx'
import { deletePath, editPath, revisionPath, type RepositoryNames } from './code-paths.ts'
import type { Editing } from './editing.ts'
import { linesOnPage, type SourceContent } from './file-content.ts'
import { NotebookView } from './notebook.view.tsx'
import { texts } from './texts.tsx'

interface FileProps {
  readonly place: RepositoryNames
  readonly revision: NamedCommit
  readonly path: string
  readonly editing: Editing
  readonly file: FileView
  readonly content: SourceContent
}

/** The address of a file's bytes; a large file's are behind its pointer. */
const bytesPath = ({ place, revision, path, file }: FileProps): string =>
  revisionPath(place, file.body.kind === 'pointer' ? 'media' : 'raw', revision, path)

const Facts = ({ file, content }: FileProps) => {
  const { body } = file
  const sizeBytes = body.kind === 'pointer' ? body.largeSizeBytes : file.sizeBytes
  return (
    <div class="facts">
      {content.kind === 'lines' ? <span>{texts.lines(content.total)}</span> : null}
      <span>{sizeText(sizeBytes)}</span>
      {body.kind === 'pointer' ? <span>{texts.storedInLfs}</span> : null}
      {body.kind === 'text' && body.encoding !== 'utf-8' ? <span>{body.encoding}</span> : null}
      {file.entry.mode === '100755' ? <span>{texts.executable}</span> : null}
      {body.kind === 'link' ? <span>{texts.symbolicLink}</span> : null}
    </div>
  )
}

const DisplaySwitch = ({ place, revision, path, content }: FileProps) => {
  const hasBoth =
    content.kind === 'rendered' ||
    content.kind === 'notebook' ||
    (content.kind === 'lines' && content.mayRender) ||
    (content.kind === 'image' && content.hasSource)
  if (!hasBoth) return null
  const here = revisionPath(place, 'src', revision, path)
  const isSource = content.kind === 'lines'
  return (
    <div class="button-group">
      <Link class="button plain small" to={here} aria-current={isSource ? undefined : 'page'}>
        {texts.preview}
      </Link>
      <Link class="button plain small" to={`${here}?display=source`} aria-current={isSource ? 'page' : undefined}>
        {texts.source}
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

const Acts = (props: FileProps) => {
  const { place, revision, path, editing, file } = props
  const branch = editing.isOffered ? editing.branch : ''
  const isText = file.body.kind === 'text'
  return (
    <div class="acts">
      <DisplaySwitch {...props} />
      <NarrowMenu title={texts.fileActs}>
        <div class="button-group">
          <ButtonLink class="small" to={bytesPath(props)} data-turbo="false">
            {texts.raw}
          </ButtonLink>
          {isText ? (
            <ButtonLink class="small" to={revisionPath(place, 'blame', revision, path)} data-hotkey="b">
              {texts.blame}
            </ButtonLink>
          ) : null}
          {revision.kind === 'commit' ? null : (
            <ButtonLink
              class="small"
              to={revisionPath(place, 'src', { kind: 'commit', name: revision.commit }, path)}
              title={texts.permalinkHint}
            >
              {texts.permalink}
            </ButtonLink>
          )}
        </div>
        <div class="line one icon-acts">
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
              to={editPath(place, branch, path)}
              icon="pencil"
              label={texts.editFile}
              editing={editing}
              hotkey="e"
            />
          ) : null}
          <ChangeLink to={deletePath(place, branch, path)} icon="trash" label={texts.deleteFile} editing={editing} />
        </div>
      </NarrowMenu>
    </div>
  )
}

const Content = (props: FileProps) => {
  const { place, revision, path, file, content } = props
  const { config } = usePage()
  if (content.kind === 'rendered') return <Markup html={content.html} class="file-rendered" />
  if (content.kind === 'notebook') return <NotebookView {...content.notebook} />
  if (content.kind === 'image') {
    return (
      <div class="file-image">
        <img src={siteHref(config, bytesPath(props))} alt={file.entry.name} />
      </div>
    )
  }
  if (content.kind === 'lines') {
    return content.total === 0 ? (
      <p class="box-body muted">{texts.emptyFile}</p>
    ) : (
      <CodeLines lines={content.lines} first={content.first} label={path} />
    )
  }
  const { body } = file
  if (body.kind === 'link') {
    return (
      <p class="box-body">
        {texts.linkTo} <code>{body.target}</code>
      </p>
    )
  }
  const isPdf = /\.pdf$/i.test(path)
  return (
    <Empty icon="file" title={body.kind === 'large' ? texts.tooLarge : isPdf ? texts.pdf : texts.binary}>
      <p>{texts.openOrDownload(sizeText(body.kind === 'pointer' ? body.largeSizeBytes : file.sizeBytes))}</p>
      <ButtonLink
        icon="download"
        to={revisionPath(place, body.kind === 'pointer' ? 'media' : 'raw', revision, path)}
        data-turbo="false"
      >
        {isPdf ? texts.openPdf : texts.download}
      </ButtonLink>
    </Empty>
  )
}

/** A file: facts, acts and content. */
export const FileBox = (props: FileProps) => {
  const { content } = props
  return (
    <>
      <Box
        class="file-box"
        head={
          <>
            <Facts {...props} />
            <span class="spacer" />
            <Acts {...props} />
          </>
        }
      >
        <Content {...props} />
      </Box>
      {content.kind === 'lines' && content.total > linesOnPage ? (
        <>
          <p class="muted small">{texts.linesShown(content.first, content.first + content.lines.length - 1)}</p>
          <Pages
            page={content.page}
            isLast={content.first + content.lines.length > content.total}
            total={content.total}
            pageSize={linesOnPage}
          />
        </>
      ) : null}
    </>
  )
}
