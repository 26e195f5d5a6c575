import type { ComponentChildren } from 'preact'
import type { VersionWithMetadata } from '../../packages/catalog/catalog.service.ts'
import type { ListedPackage } from '../../packages/package-list.service.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import type { PackageRow } from '../../db/tables/packages.ts'
import { typeName } from '../shared/package-types.ts'
import { Submit } from '../ui/button.tsx'
import { Field, Select } from '../ui/field.tsx'
import { choicesOf } from '../ui/form-fields.tsx'
import { Form } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { ButtonLink, Link } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { Commands, Counter, Empty, PageHead, Pages, Tag } from '../ui/parts.tsx'
import { Time } from '../ui/time.tsx'
import { ImageRows } from './image.view.tsx'
import { metadataShown } from './package-metadata.rules.ts'
import { packagePath, packageSettingsPath, packagesPath, versionPath } from './package-paths.ts'
import { publishCommands } from './publish-commands.rules.ts'
import { packageTexts as texts } from '../languages/texts.ts'
import { RowBox } from '../ui/row-box.tsx'

interface ListProps {
  readonly owner: UserRow
  readonly packages: readonly ListedPackage[]
  readonly hasMore: boolean
  readonly number: number
}

const List = ({ owner, packages, hasMore, number }: ListProps) => (
  <>
    <RowBox rows={packages} links>
      {(each) => (
        <li class="row">
          <Icon name={each.type === 'container' ? 'container' : 'package'} class="row-icon" />
          <div class="row-main">
            <Link class="row-title" to={packagePath(owner, each)} data-row-link="">
              {each.name}
            </Link>
            <div class="row-facts">
              <Tag>{typeName(each.type)}</Tag>
              <Link to={versionPath(owner, each)}>{each.version}</Link>
            </div>
          </div>
          <div class="row-side">
            <span>{texts.downloads(each.download_count)}</span>
            <Time unix={each.created_unix} />
          </div>
        </li>
      )}
    </RowBox>
    <Pages page={number} isLast={!hasMore} />
  </>
)

export const PackagesView = ({
  filter,
  mayWrite,
  ...props
}: ListProps & { readonly filter: { readonly type: string; readonly text: string }; readonly mayWrite: boolean }) => (
  <div class="container">
    <PageHead title={texts.titleOf(props.owner.name)} />
    {props.packages.length === 0 && filter.text === '' && mayWrite ? (
      <First owner={props.owner} type={filter.type} />
    ) : (
      <>
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
            choices={[{ value: '', label: texts.allTypes }, ...choicesOf(texts.types)]}
          />
          <Submit kind="plain">{texts.find}</Submit>
        </Form>
        {props.packages.length > 0 ? (
          <List {...props} />
        ) : filter.type === '' && filter.text === '' ? (
          <Empty icon="package" title={texts.none} />
        ) : (
          <Empty icon="search" title={texts.noMatch} />
        )}
      </>
    )}
  </div>
)

/** How to publish a first package, of one type or of a type to choose. */
const First = ({ owner, type }: { readonly owner: UserRow; readonly type: string }) => {
  const { config } = usePage()
  const root = config.server.rootUrl.slice(0, -1)
  const commands = publishCommands({ type, owner: owner.name, root })
  return (
    <Empty icon="package" title={commands === undefined ? texts.none : texts.noneOf(typeName(type))}>
      <p>{commands === undefined ? texts.noneLead : texts.publishLead}</p>
      {commands === undefined ? null : <Commands text={commands} label={texts.publish} />}
      <nav class="package-types" aria-label={texts.type}>
        {Object.entries(texts.types).map(([name, label]) => (
          <Link
            class="tag"
            to={`${packagesPath(owner)}?type=${name}`}
            aria-current={name === type ? 'true' : undefined}
          >
            {label}
          </Link>
        ))}
      </nav>
    </Empty>
  )
}

export const RepoPackagesView = (props: ListProps) => (
  <>
    <h1 class="sr-only">{texts.title}</h1>
    {props.packages.length > 0 ? (
      <List {...props} />
    ) : (
      <Empty icon="package" title={texts.none}>
        <p>{texts.noneInRepo}</p>
        <div class="acts">
          <ButtonLink to={packagesPath(props.owner)}>{texts.titleOf(props.owner.name)}</ButtonLink>
        </div>
      </Empty>
    )}
  </>
)

/** The way to a heading. The heading names what the path leaves out. */
export const PackagePath = ({
  owner,
  row,
  withPackage,
  version,
  children,
}: {
  readonly owner: UserRow
  readonly row: Pick<PackageRow, 'type' | 'name' | 'lower_name'>
  readonly withPackage: boolean
  readonly version?: { readonly version: string; readonly lower_version: string }
  readonly children: ComponentChildren
}) => (
  <div class="stack tight">
    <ol class="breadcrumbs small">
      <li>
        <Link to={packagesPath(owner)}>{texts.title}</Link>
      </li>
      {withPackage ? (
        <li>
          <Link to={packagePath(owner, row)}>{row.name}</Link>
        </li>
      ) : null}
      {version === undefined ? null : (
        <li>
          <Link to={versionPath(owner, { ...row, ...version })}>{version.version}</Link>
        </li>
      )}
    </ol>
    {children}
  </div>
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
  <PackagePath owner={owner} row={row} withPackage={version !== undefined}>
    <div class="line one package-title">
      <h1>
        {row.name} {version === undefined ? null : <span class="muted">{version}</span>} <Tag>{typeName(row.type)}</Tag>
      </h1>
      {settings === undefined ? null : (
        <ButtonLink to={settings} icon="gear">
          {texts.settings}
        </ButtonLink>
      )}
    </div>
  </PackagePath>
)

interface PackageProps {
  readonly owner: UserRow
  readonly row: PackageRow
  /** One page, the newest first. */
  readonly versions: readonly VersionWithMetadata[]
  readonly total: number
  readonly number: number
  readonly pageSize: number
  readonly tags: readonly { readonly name: string; readonly version: string }[]
  readonly mayWrite: boolean
}

export const PackageView = ({ owner, row, versions, total, number, pageSize, tags, mayWrite }: PackageProps) => {
  const [newest] = versions
  const { description } = metadataShown(newest?.metadata ?? null)
  return (
    <div class="container stack">
      <PackageHead
        owner={owner}
        row={row}
        settings={mayWrite && newest !== undefined ? packageSettingsPath(owner, newest) : undefined}
      />
      {description === '' ? null : <p>{description}</p>}
      {row.type === 'container' ? (
        <ImageRows owner={owner} versions={versions} />
      ) : (
        <RowBox
          head={
            <h2>
              {texts.versions} <Counter count={total} />
            </h2>
          }
          rows={versions}
          links
        >
          {(version) => (
            <li class="row">
              <div class="row-main line">
                <Link class="row-title" to={versionPath(owner, version)}>
                  {version.version}
                </Link>
                {tags
                  .filter((tag) => tag.version === version.version)
                  .map((tag) => (
                    <Tag tone={tag.name === 'latest' ? 'good' : 'neutral'}>{tag.name}</Tag>
                  ))}
              </div>
              <div class="row-side">
                <span>{texts.downloads(version.download_count)}</span>
                <Time unix={version.created_unix} />
              </div>
            </li>
          )}
        </RowBox>
      )}
      <Pages page={number} total={total} pageSize={pageSize} />
    </div>
  )
}
