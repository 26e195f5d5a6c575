import type { FileRecord } from '../../packages/content/file.store.ts'
import type { VersionWithMetadata } from '../../packages/catalog/catalog.service.ts'
import type { ListedPackage } from '../../packages/package-list.service.ts'
import type { VersionRecord } from '../../packages/package.store.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { PackageRow } from '../../db/tables/packages.ts'
import { Field, Form, Select, Submit } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { ButtonLink, Link, OutsideLink } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Box, Commands, CopyButton, Empty, PageHead, Pages, Tag } from '../ui/parts.tsx'
import { pathOf } from '../ui/paths.ts'
import { sizeText } from '../ui/texts.tsx'
import { Time } from '../ui/time.tsx'
import { installCommands } from './install-commands.rules.ts'
import { metadataShown } from './package-metadata.rules.ts'
import { packagePath, packageSettingsPath, packagesPath, versionPath } from './package-paths.ts'
import { texts, typeNames } from './texts.tsx'

interface ListProps {
  readonly owner: UserRow
  readonly packages: readonly ListedPackage[]
  readonly hasMore: boolean
  readonly number: number
}

const List = ({ owner, packages, hasMore, number }: ListProps) => (
  <>
    <Box>
      <ul class="rows hoverable" data-rows>
        {packages.map((each) => (
          <li class="row">
            <Icon name={each.type === 'container' ? 'container' : 'package'} class="row-icon" />
            <div class="row-main">
              <Link class="row-title" to={packagePath(owner, each)} data-row-link="">
                {each.name}
              </Link>
              <div class="row-facts">
                <Tag>{texts.typeName(each.type)}</Tag>
                <Link to={versionPath(owner, each)}>{each.version}</Link>
              </div>
            </div>
            <div class="row-side">
              <span>{texts.downloads(each.download_count)}</span>
              <Time unix={each.created_unix} />
            </div>
          </li>
        ))}
      </ul>
    </Box>
    <Pages page={number} isLast={!hasMore} />
  </>
)

export const PackagesView = ({
  filter,
  ...props
}: ListProps & { readonly filter: { readonly type: string; readonly text: string } }) => (
  <div class="container">
    <PageHead title={texts.titleOf(props.owner.name)} />
    <Form to={packagesPath(props.owner)} method="get" role="search" class="filters">
      <Field
        type="search"
        name="q"
        label={texts.search}
        isLabelHidden
        isTerse
        placeholder={texts.search}
        value={filter.text}
      />
      <Select
        name="type"
        label={texts.type}
        isLabelHidden
        value={filter.type}
        choices={[
          { value: '', label: texts.allTypes },
          ...Object.entries(typeNames).map(([value, label]) => ({ value, label })),
        ]}
      />
      <Submit kind="plain">{texts.find}</Submit>
    </Form>
    {props.packages.length > 0 ? (
      <List {...props} />
    ) : filter.type !== '' || filter.text !== '' ? (
      <Empty icon="search" title={texts.noMatch} />
    ) : (
      <Empty icon="package" title={texts.none}>
        <p>{texts.noneLead}</p>
      </Empty>
    )}
  </div>
)

export const RepoPackagesView = (props: ListProps) => (
  <>
    <h1 class="sr-only">{texts.title}</h1>
    {props.packages.length > 0 ? (
      <List {...props} />
    ) : (
      <Empty icon="package" title={texts.none}>
        <p>{texts.noneInRepo}</p>
      </Empty>
    )}
  </>
)

export const PackageHead = ({
  owner,
  row,
  version,
  settings,
}: {
  readonly owner: UserRow
  readonly row: Pick<PackageRow, 'type' | 'name' | 'lower_name'>
  readonly version?: string
  /** The address of the settings, for who may change them. */
  readonly settings?: string | undefined
}) => (
  <div class="stack tight">
    <ol class="breadcrumbs small">
      <li>
        <Link to={pathOf(owner.name)}>{owner.name}</Link>
      </li>
      <li>
        <Link to={packagesPath(owner)}>{texts.title}</Link>
      </li>
      {version === undefined ? null : (
        <li>
          <Link to={packagePath(owner, row)}>{row.name}</Link>
        </li>
      )}
    </ol>
    <div class="line package-title">
      <h1 class="line">
        {row.name} {version === undefined ? null : <span class="muted">{version}</span>}{' '}
        <Tag>{texts.typeName(row.type)}</Tag>
      </h1>
      <span class="spacer" />
      {settings === undefined ? null : (
        <ButtonLink to={settings} icon="gear">
          {texts.settings}
        </ButtonLink>
      )}
    </div>
  </div>
)

export const PackageView = ({
  owner,
  row,
  versions,
}: {
  readonly owner: UserRow
  readonly row: PackageRow
  readonly versions: readonly VersionWithMetadata[]
}) => (
  <div class="container stack">
    <PackageHead owner={owner} row={row} />
    <Box head={<h2>{texts.versions}</h2>}>
      <ul class="rows hoverable" data-rows>
        {versions.map((version) => (
          <li class="row">
            <div class="row-main cut">
              <Link class="row-title" to={versionPath(owner, version)}>
                {version.version}
              </Link>
            </div>
            <div class="row-side">
              <span>{texts.downloads(version.download_count)}</span>
              <Time unix={version.created_unix} />
            </div>
          </li>
        ))}
      </ul>
    </Box>
  </div>
)

interface VersionProps {
  readonly owner: UserRow
  readonly version: VersionRecord
  readonly shown: {
    readonly repository: { readonly full_name: string } | null
    readonly creator: { readonly login: string } | null
  }
  readonly files: readonly FileRecord[]
  readonly metadata: string | null
  readonly mayWrite: boolean
}

export function VersionView(props: VersionProps) {
  const { owner, version, files, metadata, mayWrite } = props
  const { config } = usePage()
  const commands = installCommands({
    type: version.type,
    owner: owner.name,
    name: version.name,
    version: version.version,
    root: config.server.rootUrl.slice(0, -1),
    file: files[0]?.name ?? '',
  })
  const about = metadataShown(metadata)
  return (
    <div class="container stack">
      <PackageHead
        owner={owner}
        row={version}
        version={version.version}
        settings={mayWrite ? packageSettingsPath(owner, version) : undefined}
      />
      <div class="columns">
        <div class="stack">
          {about.description === '' ? null : <p>{about.description}</p>}
          {commands === undefined ? null : (
            <section class="stack tight">
              <h2>{texts.install}</h2>
              <Commands text={commands} label={texts.install} />
            </section>
          )}
          <Files path={versionPath(owner, version)} files={files} />
          {about.dependencies.length === 0 ? null : (
            <Box head={<h2>{texts.dependencies}</h2>}>
              <ul class="rows">
                {about.dependencies.map(([name, range]) => (
                  <li class="row">
                    <span class="row-main">{name}</span>
                    <code>{range}</code>
                  </li>
                ))}
              </ul>
            </Box>
          )}
          {about.readme === '' ? null : (
            <Box head={<h2>{texts.readme}</h2>}>
              <pre class="box-body package-readme">{about.readme}</pre>
            </Box>
          )}
        </div>
        <Aside {...props} about={about} />
      </div>
    </div>
  )
}

const Files = ({ path, files }: { readonly path: string; readonly files: readonly FileRecord[] }) => (
  <Box head={<h2>{texts.files}</h2>}>
    <ul class="rows">
      {files.map((file) => (
        <li class="row">
          <Icon name="file" />
          <div class="row-main">
            <Link class="row-title" to={`${path}/files/${file.id}`} download data-turbo="false">
              {file.name}
            </Link>
            <div class="row-facts">
              <code class="cut" title={file.sha256}>
                sha256:{file.sha256.slice(0, 16)}…
              </code>
              <CopyButton text={file.sha256} label={`SHA-256 ${file.name}`} />
            </div>
          </div>
          <div class="row-side">{sizeText(file.size_bytes)}</div>
        </li>
      ))}
    </ul>
  </Box>
)

const Aside = ({ version, shown, about }: VersionProps & { readonly about: ReturnType<typeof metadataShown> }) => {
  const { repository, creator } = shown
  return (
    <aside class="stack">
      <dl class="stack tight small">
        <div>
          {texts.published} <Time unix={version.created_unix} />
          {creator === null ? null : (
            <>
              {' '}
              {texts.by} <Link to={pathOf(creator.login)}>{creator.login}</Link>
            </>
          )}
        </div>
        <div>{texts.downloads(version.download_count)}</div>
        {repository === null ? null : (
          <div>
            <Icon name="repo" /> <Link to={pathOf(repository.full_name)}>{repository.full_name}</Link>
          </div>
        )}
        {about.license === '' ? null : (
          <div>
            <Icon name="law" /> {about.license}
          </div>
        )}
        {about.homepage === '' ? null : (
          <div class="cut">
            <Icon name="link" /> <OutsideLink href={about.homepage}>{about.homepage}</OutsideLink>
          </div>
        )}
      </dl>
    </aside>
  )
}
