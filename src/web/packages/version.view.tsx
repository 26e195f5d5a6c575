import type { ComponentChildren } from 'preact'
import type { FileRecord } from '../../packages/content/file.store.ts'
import type { ImageDetails } from '../../packages/container/image.service.ts'
import type { VersionRecord } from '../../packages/package.store.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { Icon } from '../ui/icon.tsx'
import { Link, OutsideLink } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Box, Commands, CopyButton, Flash, Markup } from '../ui/parts.tsx'
import { pathOf } from '../ui/paths.ts'
import { PersonName } from '../ui/person.tsx'
import { sizeText } from '../languages/amounts.ts'
import { Time } from '../ui/time.tsx'
import { ImageContent, ImageFacts } from './image.view.tsx'
import { installCommands } from './install-commands.rules.ts'
import type { ShownDependencies, ShownMetadata } from './package-metadata.rules.ts'
import { packagePath, packageSettingsPath, versionPath } from './package-paths.ts'
import { PackageHead } from './packages.view.tsx'
import { packageTexts as texts } from '../languages/texts.ts'
import { RowBox } from '../ui/row-box.tsx'

interface VersionProps {
  readonly owner: UserRow
  readonly version: VersionRecord
  readonly shown: {
    readonly repository: { readonly full_name: string } | null
    readonly creator: { readonly login: string; readonly full_name: string } | null
  }
  readonly files: readonly FileRecord[]
  readonly about: ShownMetadata
  /** The README as HTML; empty without one. */
  readonly readme: string
  /** Undefined unless the package is an image. */
  readonly image: ImageDetails | undefined
  readonly mayWrite: boolean
}

export function VersionView(props: VersionProps) {
  const { owner, version, files, about, readme, image, mayWrite } = props
  const { config } = usePage()
  const commands = installCommands({
    type: version.type,
    owner: owner.name,
    name: version.name,
    version: version.version,
    root: config.server.rootUrl.slice(0, -1),
    file: files[0]?.name ?? '',
    fileKey: files[0]?.file_key ?? '',
  })
  const description = about.description || (image?.image?.labels.get('org.opencontainers.image.description') ?? '')
  return (
    <div class="container stack">
      <PackageHead
        owner={owner}
        row={version}
        version={image !== undefined && version.version === image.digest ? texts.image.untaggedOne : version.version}
        settings={mayWrite ? packageSettingsPath(owner, version) : undefined}
      />
      {about.isYanked ? <Flash tone="warning">{texts.yanked}</Flash> : null}
      {about.warning === '' ? null : <Flash tone="warning">{texts.deprecated(about.warning)}</Flash>}
      {description === '' ? null : <p>{description}</p>}
      <div class="columns">
        <div class="stack loose">
          {commands === undefined ? null : (
            <section class="stack tight">
              <h2>{texts.install}</h2>
              <Commands text={commands} label={texts.install} />
            </section>
          )}
          {image === undefined ? null : <ImageContent owner={owner} image={image} named={version} />}
          {readme === '' ? null : (
            <section>
              <h2 class="sr-only">{texts.readme}</h2>
              <Markup html={readme} />
            </section>
          )}
          {about.dependencies.map((dependencies) => (
            <Dependencies {...dependencies} />
          ))}
          {image === undefined ? (
            <Files path={versionPath(owner, version)} files={files} head={<h2>{texts.files}</h2>} />
          ) : (
            <details class="stack tight">
              <summary class="muted">{texts.image.stored(files.length)}</summary>
              <Files path={versionPath(owner, version)} files={files} />
            </details>
          )}
        </div>
        <Facts {...props} />
      </div>
    </div>
  )
}

const Dependencies = ({ purpose, ranges }: ShownDependencies) => (
  <Box head={<h2>{texts.dependenciesFor(purpose)}</h2>}>
    <ul class="rows package-ranges">
      {ranges.map(([name, range]) => (
        <li class="row">
          <span class="row-main">{name}</span>
          <code class="muted">{range === '' ? '*' : range}</code>
        </li>
      ))}
    </ul>
  </Box>
)

/** More files make the page slow. */
const maxFiles = 300

const Files = ({
  path,
  files,
  head,
}: {
  readonly path: string
  readonly files: readonly FileRecord[]
  readonly head?: ComponentChildren
}) => (
  <RowBox
    head={head}
    foot={
      files.length > maxFiles ? <span class="muted">{texts.furtherFiles(files.length - maxFiles)}</span> : undefined
    }
    rows={files.slice(0, maxFiles)}
  >
    {(file) => (
      <li class="row">
        <Icon name="file" />
        <div class="row-main">
          <Link class="row-title" to={`${path}/files/${file.id}`} download data-turbo="false">
            {file.name}
          </Link>
          <div class="row-facts digest">
            <code class="cut" title={file.sha256}>
              sha256:{file.sha256}
            </code>
            <CopyButton text={file.sha256} label={`SHA-256 ${file.name}`} />
          </div>
        </div>
        <div class="row-side">{sizeText(file.size_bytes)}</div>
      </li>
    )}
  </RowBox>
)

const Facts = ({ owner, version, shown: { repository, creator }, files, about, image }: VersionProps) => {
  const labelled = (name: string) => image?.image?.labels.get(`org.opencontainers.image.${name}`) ?? ''
  const source = about.source || labelled('source')
  return (
    <aside>
      <h2 class="sr-only">{texts.about}</h2>
      <dl class="package-facts">
        <dt>{texts.published}</dt>
        <dd>
          <Time unix={version.created_unix} />
          {creator === null ? null : (
            <>
              {' '}
              {texts.by}{' '}
              <Link to={pathOf(creator.login)} class="person">
                <PersonName person={{ name: creator.login, full_name: creator.full_name }} />
              </Link>
            </>
          )}
        </dd>
        {repository === null ? null : (
          <>
            <dt>{texts.repository}</dt>
            <dd>
              <Link to={pathOf(repository.full_name)}>{repository.full_name}</Link>
            </dd>
          </>
        )}
        <Fact name={texts.license} value={about.license || labelled('licenses')} />
        <Fact name={texts.authors} value={about.authors || labelled('authors')} />
        <Address name={texts.homepage} address={about.homepage || labelled('url')} />
        <Address name={texts.source} address={source} />
        <Fact name={texts.needs} value={about.needs.map(([name, range]) => `${name} ${range}`).join(', ')} />
        {image === undefined ? null : <ImageFacts image={image} owner={owner} named={version} />}
        {/* The files of an index are those of its platforms. */}
        {image !== undefined && image.platforms.length > 0 ? null : (
          <Fact name={texts.size} value={sizeText(files.reduce((sum, { size_bytes: size }) => sum + size, 0))} />
        )}
        <dt>{texts.downloaded}</dt>
        <dd>{texts.times(version.download_count)}</dd>
        {about.keywords.length === 0 ? null : (
          <>
            <dt>{texts.keywords}</dt>
            <dd class="side-labels">
              {about.keywords.map((word) => (
                <span class="tag">{word}</span>
              ))}
            </dd>
          </>
        )}
        <dt>{texts.versions}</dt>
        <dd>
          <Link to={packagePath(owner, version)}>{texts.allVersions}</Link>
        </dd>
      </dl>
    </aside>
  )
}

const Fact = ({ name, value }: { readonly name: string; readonly value: string }) =>
  value === '' ? null : (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  )

const Address = ({ name, address }: { readonly name: string; readonly address: string }) =>
  address === '' ? null : (
    <>
      <dt>{name}</dt>
      <dd class="cut">
        <OutsideLink href={address}>{address.replace(/^https?:\/\//, '')}</OutsideLink>
      </dd>
    </>
  )
