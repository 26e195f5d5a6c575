import type { UserRow } from '../../db/tables/accounts.ts'
import type { VersionWithMetadata } from '../../packages/catalog/catalog.service.ts'
import type { ImageDetails } from '../../packages/container/image.service.ts'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import { Box, CopyButton, Tag } from '../ui/parts.tsx'
import { RowBox } from '../ui/row-box.tsx'
import { sizeText } from '../languages/amounts.ts'
import { Time } from '../ui/time.tsx'
import { listImages, type ListedImage } from './image-list.rules.ts'
import { packagePath, versionPath } from './package-paths.ts'
import { packageTexts as texts } from '../languages/texts.ts'

/** Returns the beginning of a digest, which is enough to tell images apart. */
const shortDigest = (digest: string): string => digest.slice(0, 'sha256:'.length + 12)

const ImageRow = ({ owner, image }: { readonly owner: UserRow; readonly image: ListedImage }) => (
  <li class="row">
    <div class="row-main">
      <div class="line">
        {image.tags.map((tag) => (
          <Link class="row-title" to={versionPath(owner, tag)}>
            {tag.version}
          </Link>
        ))}
        {image.isIndex ? <Tag>{texts.image.multiPlatform}</Tag> : null}
      </div>
      <div class="row-facts">
        <Link class="mono" to={versionPath(owner, image.newest)} title={image.digest}>
          {shortDigest(image.digest)}
        </Link>
      </div>
    </div>
    <div class="row-side">
      <span>{texts.downloads(image.newest.download_count)}</span>
      <Time unix={image.newest.created_unix} />
    </div>
  </li>
)

/** The images of a package: those with tags, and the others folded. */
export const ImageRows = ({
  owner,
  versions,
}: {
  readonly owner: UserRow
  readonly versions: readonly VersionWithMetadata[]
}) => {
  const images = listImages(versions)
  const [tagged, untagged] = [
    images.filter(({ tags }) => tags.length > 0),
    images.filter(({ tags }) => tags.length === 0),
  ]
  return (
    <>
      <RowBox head={<h2>{texts.image.tags}</h2>} rows={tagged} links>
        {(image) => <ImageRow owner={owner} image={image} />}
      </RowBox>
      {untagged.length === 0 ? null : (
        <details class="stack tight" open={tagged.length === 0}>
          <summary class="muted">{texts.image.untagged(untagged.length)}</summary>
          <p class="small muted">{texts.image.untaggedLead}</p>
          <RowBox rows={untagged} links>
            {(image) => <ImageRow owner={owner} image={image} />}
          </RowBox>
        </details>
      )}
    </>
  )
}

/** The platforms of an image, or the steps of its build with their layers. */
export const ImageContent = ({
  owner,
  image: { platforms, image },
  named,
}: {
  readonly owner: UserRow
  readonly image: ImageDetails
  readonly named: Pick<VersionWithMetadata, 'type' | 'lower_name'>
}) => (
  <>
    <RowBox rows={platforms} head={<h2>{texts.image.platforms}</h2>}>
      {({ platform, digest, sizeBytes }) => (
        <li class="row">
          <div class="row-main">
            {sizeBytes === undefined ? (
              <strong>{platform}</strong>
            ) : (
              <Link class="row-title" to={`${packagePath(owner, named)}/${encodeURIComponent(digest)}`}>
                {platform}
              </Link>
            )}
            <div class="row-facts digest">
              <code class="cut">{digest}</code>
              <CopyButton text={digest} label={platform} />
            </div>
          </div>
          <div class="row-side">{sizeBytes === undefined ? '' : sizeText(sizeBytes)}</div>
        </li>
      )}
    </RowBox>
    {image === undefined || image.steps.length === 0 ? null : (
      <Box
        head={
          <>
            <h2>{texts.image.layers}</h2>
            <span class="muted small">{sizeText(image.sizeBytes)}</span>
          </>
        }
      >
        <ol class="rows image-steps">
          {image.steps.map(({ command, layer }) => (
            <li class={layer === undefined ? 'row muted' : 'row'} title={layer?.digest}>
              <code class="row-main">{command === '' ? shortDigest(layer?.digest ?? '') : command}</code>
              <span class="row-side">{layer === undefined ? '' : sizeText(layer.sizeBytes)}</span>
            </li>
          ))}
        </ol>
      </Box>
    )}
  </>
)

/** The facts of an image, for the column at the side. */
export const ImageFacts = ({
  image: { digest, tags, image },
  owner,
  named,
}: {
  readonly image: ImageDetails
  readonly owner: UserRow
  readonly named: Pick<VersionWithMetadata, 'type' | 'lower_name'>
}) => (
  <>
    <dt>{texts.image.digest}</dt>
    <dd class="digest">
      <code class="cut" title={digest}>
        {digest}
      </code>
      <CopyButton text={digest} label={texts.image.digest} />
    </dd>
    {tags.length === 0 ? null : (
      <>
        <dt>{texts.image.tags}</dt>
        <dd class="side-labels">
          {tags.map((tag) => (
            <Link class="tag" to={`${packagePath(owner, named)}/${encodeURIComponent(tag.toLowerCase())}`}>
              <Icon name="tag" />
              {tag}
            </Link>
          ))}
        </dd>
      </>
    )}
    {image === undefined ? null : (
      <>
        {image.platform === '' ? null : (
          <>
            <dt>{texts.image.platform}</dt>
            <dd>{image.platform}</dd>
          </>
        )}
        {image.command === '' ? null : (
          <>
            <dt>{texts.image.command}</dt>
            <dd>
              <code>{image.command}</code>
            </dd>
          </>
        )}
        {image.ports.length === 0 ? null : (
          <>
            <dt>{texts.image.ports}</dt>
            <dd>{image.ports.join(', ')}</dd>
          </>
        )}
        {image.user === '' ? null : (
          <>
            <dt>{texts.image.user}</dt>
            <dd>{image.user}</dd>
          </>
        )}
      </>
    )}
  </>
)
