import { ButtonLink, Link } from '../../ui/link.tsx'
import { siteHref } from '../../ui/paths.ts'
import { usePage } from '../../ui/page-context.ts'
import { Box, Empty, Flash, Markup, Pages } from '../../ui/parts.tsx'
import { sizeText } from '../../languages/amounts.ts'
import { CodeLines } from './code-lines.view.tsx'
import { linkedPath, revisionPath } from '../code-paths.ts'
import { isPdf, linesOnPage, type SourceContent } from './file-content.ts'
import { bytesPath, FileHead, type FileHeadProps } from './file-head.view.tsx'
import { NotebookView } from './notebook.view.tsx'
import { codeTexts as texts } from '../../languages/texts.ts'

interface FileProps extends Omit<FileHeadProps, 'display' | 'mayPreview' | 'lineCount'> {
  readonly content: SourceContent
  /** Why a file with a meaning for this site, such as a workflow, has no effect. */
  readonly problem: string | undefined
}

/** What the head says of a content. */
function headOf(content: SourceContent): Pick<FileHeadProps, 'display' | 'mayPreview' | 'lineCount'> {
  if (content.kind === 'lines') return { display: 'source', mayPreview: content.mayRender, lineCount: content.total }
  const mayPreview = content.kind === 'image' ? content.hasSource : content.kind !== 'other'
  return { display: mayPreview ? 'preview' : 'other', mayPreview, lineCount: undefined }
}

/** Where a symbolic link leads. */
const LinkTarget = ({
  repository,
  revision,
  path,
  target,
}: Pick<FileProps, 'repository' | 'revision' | 'path'> & { readonly target: string }) => {
  const linked = linkedPath(path, target)
  return (
    <p class="box-body">
      {texts.linkTo}{' '}
      {linked === undefined ? (
        <code>{target}</code>
      ) : (
        <Link to={revisionPath(repository, 'src', revision, linked)} class="mono">
          {target}
        </Link>
      )}
    </p>
  )
}

const Content = (props: FileProps) => {
  const { path, file, content } = props
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
  if (body.kind === 'link') return <LinkTarget {...props} target={body.target} />
  const sizeBytes = body.kind === 'pointer' ? body.largeSizeBytes : file.sizeBytes
  if (isPdf(path)) {
    return (
      <>
        <iframe
          class="file-pdf wide-only"
          src={siteHref(config, bytesPath(props))}
          title={file.entry.name}
          loading="lazy"
        />
        {/* Browsers of phones show no PDF in a page. */}
        <div class="narrow-only">
          <Empty icon="file" title={texts.pdf}>
            <p>{sizeText(sizeBytes)}</p>
            <ButtonLink icon="link-external" to={bytesPath(props)} data-turbo="false">
              {texts.openPdf}
            </ButtonLink>
          </Empty>
        </div>
      </>
    )
  }
  return (
    <Empty icon="file" title={body.kind === 'large' ? texts.tooLarge : texts.binary}>
      <p>{texts.openOrDownload(sizeText(sizeBytes))}</p>
      <ButtonLink icon="download" to={bytesPath(props)} data-turbo="false">
        {texts.download}
      </ButtonLink>
    </Empty>
  )
}

/** A file: its last commit, facts, acts and content. */
export const FileBox = (props: FileProps) => {
  const { content, problem } = props
  return (
    <>
      <Box class="file-box">
        <FileHead {...props} {...headOf(content)} />
        {problem === undefined ? null : (
          <div class="file-problem">
            <Flash tone="warning">{problem}</Flash>
          </div>
        )}
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
