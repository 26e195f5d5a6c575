import type { VNode } from 'preact'
import type { Hunk } from '../../../code/commits/patch.parse.ts'
import type { ShownFile } from '../../../code/commits/shown-diff.service.ts'
import { Icon } from '../icon.tsx'
import { Link } from '../link.tsx'
import { usePage } from '../page-context.ts'
import { Tag } from '../parts.tsx'
import { siteHref } from '../paths.ts'
import { Counts, fileId, Fold, StatusIcon } from './diff-marks.view.tsx'
import type { DiffViewProps } from './diff-props.ts'
import { hunkSections, marksOfHunks, plusLinks, type Section } from './rows.ts'
import { diffTexts as texts } from '../../languages/texts.ts'

interface FileProps extends DiffViewProps {
  readonly file: ShownFile
  /** Whether a frame around the file loads it. */
  readonly isAwaited: boolean
}

/** One file in a frame of its own, so that it can be loaded later and reloaded with more context. */
export function DiffFile(props: FileProps) {
  const { file, isAwaited, addressOf } = props
  const { change, left } = file
  const address = siteHref(usePage().config, addressOf({ only: change.path }))
  const lazily = left === 'later' && !isAwaited ? { src: address, loading: 'lazy' } : {}
  return (
    <turbo-frame id={fileId(file)} target="_top" class="diff-frame" {...lazily}>
      <article class="diff-file" aria-label={change.path}>
        <details open={!(props.isCollapsed?.(file) ?? false)}>
          <summary>
            <Fold />
            <StatusIcon status={change.status} />
            <h2 class="diff-name">
              {change.oldPath === undefined ? null : <span class="muted">{change.oldPath} → </span>}
              <bdi>{change.path}</bdi>
            </h2>
            {change.binary ? null : <Counts additions={change.additions} deletions={change.deletions} />}
            <FileTags file={file} />
          </summary>
          {props.aboveLines?.(file)}
          {left === undefined ? <FileBody {...props} /> : <LeftLines {...props} />}
        </details>
        <div class="diff-acts">
          {props.actsOf?.(file)}
          <ViewLink {...props} />
        </div>
      </article>
    </turbo-frame>
  )
}

const isLink = (mode: string): boolean => mode === '120000'
const isSubmodule = (mode: string): boolean => mode === '160000'

/** Whether the file is a pointer of Git LFS on one side. */
const isPointer = ({ hunks }: ShownFile): boolean =>
  hunks[0]?.lines.slice(0, 3).some(({ text }) => text.startsWith('version https://git-lfs.github.com/spec/')) ?? false

/** Whether the head says everything about a file without changed lines: it has another name or mode. */
const isExplained = ({ status, oldMode, newMode }: ShownFile['change']): boolean =>
  status === 'renamed' || (status !== 'added' && status !== 'deleted' && oldMode !== newMode)

function FileTags({ file }: { readonly file: ShownFile }) {
  const { status, oldMode, newMode, similarity } = file.change
  const hasBoth = status !== 'added' && status !== 'deleted'
  return (
    <>
      {status === 'renamed' ? <Tag>{texts.renamed(similarity)}</Tag> : null}
      {hasBoth && oldMode !== newMode ? <Tag>{texts.mode(oldMode, newMode)}</Tag> : null}
      {isSubmodule(oldMode) || isSubmodule(newMode) ? <Tag icon="file-submodule">{texts.submodule}</Tag> : null}
      {isLink(oldMode) || isLink(newMode) ? <Tag icon="file-symlink-file">{texts.symlink}</Tag> : null}
      {isPointer(file) ? <Tag icon="database">{texts.lfs}</Tag> : null}
    </>
  )
}

const ViewLink = ({ file, fileAt }: FileProps) => {
  const side = file.change.status === 'deleted' ? 'old' : 'new'
  const address = fileAt?.(side, 'src', pathOn(file, side))
  return address === undefined ? null : (
    <Link class="button quiet small icon-only view-file" to={address} title={texts.view} aria-label={texts.view} />
  )
}

const pathOn = ({ change }: ShownFile, side: 'old' | 'new'): string =>
  side === 'old' ? (change.oldPath ?? change.path) : change.path

/** A file whose lines are not in the page: they follow by themselves or on demand. */
const LeftLines = ({ file, addressOf }: FileProps) => {
  const lines = file.change.additions + file.change.deletions
  return (
    <div class="diff-left">
      <p>{file.left === 'large' ? texts.large(lines) : texts.later(lines)}</p>
      <Link class="button plain small" to={addressOf({ only: file.change.path })} data-turbo-frame={fileId(file)}>
        {texts.show}
      </Link>
    </div>
  )
}

function FileBody(props: FileProps) {
  const { file } = props
  const { change, hunks, isCut } = file
  const images = isImage(change.path) ? imagesOf(props) : []
  if (change.binary || images.length > 0) {
    return images.length > 0 ? <Images images={images} /> : <p class="diff-left">{texts.binary}</p>
  }
  if (hunks.length === 0) {
    if (!isCut && isExplained(change)) return null
    const isEmpty = change.status === 'added' || change.status === 'deleted'
    return <p class="diff-left">{isCut ? texts.cut : isEmpty ? texts.emptyAdded : texts.noLines}</p>
  }
  return <Hunks {...props} />
}

/** The lines of context that an address names; undefined for the default. */
export const contextOf = (diff: DiffViewProps['diff']) => (diff.contextLines === 3 ? undefined : diff.contextLines)

/** The query of an address, which is enough within its page: a large difference has thousands of such links. */
const queryOf = (address: string): string => address.slice(address.indexOf('?'))

function Hunks({ file, layout, ignoresSpace, highlighted, below, mayComment, addressOf, only, diff }: FileProps) {
  const { change, hunks } = file
  const { config, refused, budget, caches } = usePage()
  const shownBelow = below?.get(change.path)
  const number = String(file.index)
  // A page without a choice need not show this file.
  const kept = only === undefined && diff.batch === undefined ? {} : { only: change.path, context: contextOf(diff) }
  const commentAt = siteHref(config, addressOf({ ...kept, line: `${number}-` }))
  const options = {
    prefix: `diff-${number}-`,
    layout,
    highlighted: highlighted?.get(change.path),
    breaksAt: new Set<string>(shownBelow?.keys()),
    kept: caches && {
      marks: marksOfHunks({ caches }),
      name: `${change.oldOid} ${change.newOid}${ignoresSpace ? ' without space' : ''}`,
    },
    ...(mayComment
      ? {
          plusLink: plusLinks(refused === undefined ? queryOf(commentAt) : commentAt, `diff-${number}-`, texts.comment),
        }
      : {}),
  }
  let lastLine = 0
  let isCut = false
  const lines = (
    <div class={`diff-lines ${layout}`} role="group" aria-label={texts.linesOf(change.path)}>
      {hunks.map((hunk) => {
        if (isCut) return null
        const { sections, ...rows } = hunkSections(hunk, options, budget)
        isCut = rows.isCut
        const hasGap = hunk.newBegin > lastLine + 1 && change.status !== 'added'
        lastLine = hunk.newBegin + hunk.newCount - 1
        return (
          <>
            {hasGap ? <HunkHead {...{ hunk, file, addressOf, context: diff.contextLines }} /> : null}
            {sections.map((section) => (
              <>
                <Rows section={section} layout={layout} />
                {section.after === undefined ? null : shownBelow?.get(section.after)}
              </>
            ))}
          </>
        )
      })}
    </div>
  )
  return (
    <>
      {lines}
      {isCut || file.isCut ? <p class="diff-left">{texts.cut}</p> : null}
    </>
  )
}

/** Rows of a section, as a table of its own: a browser skips the layout of those that are not in view. */
function Rows({ section, layout }: { readonly section: Section; readonly layout: string }): VNode | null {
  if (section.rows === 0) return null
  const columns = layout === 'split' ? ['num', 'text', 'num', 'text'] : ['num', 'num', 'text']
  const html = `<colgroup>${columns.map((name) => `<col class="${name}">`).join('')}</colgroup><tbody>${section.html}</tbody>`
  return (
    <div class={section.rows >= 50 ? 'diff-section long' : 'diff-section'}>
      <table class="diff-table" dangerouslySetInnerHTML={{ __html: html }} />
    </div>
  )
}

/** Most lines of context that are read. */
const wholeFile = 100_000

const HunkHead = ({
  hunk,
  file,
  addressOf,
  context,
}: Pick<FileProps, 'file' | 'addressOf'> & { readonly hunk: Hunk; readonly context: number }) => {
  const more = context < 20 ? 20 : context < 100 ? 100 : wholeFile
  const only = file.change.path
  const label = more === wholeFile ? texts.wholeFile : texts.more
  return (
    <div class="diff-hunk">
      <Link
        to={addressOf({ only, context: more })}
        data-turbo-frame={fileId(file)}
        rel="nofollow"
        title={label}
        aria-label={label}
      >
        <Icon name="unfold" />
      </Link>
      <code class="cut">
        @@ −{hunk.oldBegin},{hunk.oldCount} +{hunk.newBegin},{hunk.newCount} @@ {hunk.heading}
      </code>
    </div>
  )
}

const imageName = /\.(png|jpe?g|gif|webp|avif|bmp|ico|svg)$/i

const isImage = (path: string): boolean => imageName.test(path)

interface SideImage {
  readonly label: string
  readonly address: string
}

/** Images of both sides that can be shown. An SVG is a text and is compared as such, unless git calls it binary. */
function imagesOf({ file, fileAt }: FileProps): readonly SideImage[] {
  const { change } = file
  if (!change.binary) return []
  const side = (name: 'old' | 'new', label: string, isThere: boolean): readonly SideImage[] => {
    const address = isThere ? fileAt?.(name, 'raw', pathOn(file, name)) : undefined
    return address === undefined ? [] : [{ label, address }]
  }
  return [
    ...side('old', texts.before, change.status !== 'added'),
    ...side('new', texts.after, change.status !== 'deleted'),
  ]
}

/** Both sides of an image. Scripts also lay one over the other: `swipe` shows a part of each, `overlay` a mixture. */
const Images = ({ images }: { readonly images: readonly SideImage[] }) => {
  const { config } = usePage()
  const isPair = images.length === 2
  return (
    <div class="diff-images" {...(isPair ? { 'data-compare': 'sides' } : {})}>
      {isPair ? (
        <div class="diff-compare needs-script">
          <div class="button-group" role="group" aria-label={texts.compareImages}>
            {(['sides', 'swipe', 'overlay'] as const).map((mode) => (
              <button
                type="button"
                class="button plain small"
                data-compare-mode={mode}
                aria-pressed={mode === 'sides' ? 'true' : 'false'}
              >
                {texts.compareModes[mode]}
              </button>
            ))}
          </div>
          <input type="range" min="0" max="100" value="50" hidden aria-label={texts.compareShare} />
        </div>
      ) : null}
      <div class="diff-sides">
        {images.map(({ label, address }) => (
          <figure>
            <figcaption class="muted small">{label}</figcaption>
            <img src={siteHref(config, address)} alt={label} loading="lazy" />
          </figure>
        ))}
      </div>
    </div>
  )
}
