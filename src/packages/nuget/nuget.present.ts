import { escapeXml } from '../../lib/escape-xml.ts'
import { formatUnix } from '../../lib/time.ts'
import type { FoundPackage } from '../catalog/catalog.service.ts'
import type { VersionWithMetadata } from '../catalog/catalog.store.ts'
import { metadataOf } from '../catalog/metadata.rules.ts'
import { registryUrl, urlBelow, type RegistryOwner } from '../registry/registry-url.rules.ts'
import { compareNuget, type NugetMetadata } from './nuget.rules.ts'

const type = 'nuget'

const registrationIndex = (owner: RegistryOwner, id: string): string =>
  urlBelow(owner, type, 'registration', id, 'index.json')
const registrationLeaf = (owner: RegistryOwner, name: string, version: string): string =>
  urlBelow(owner, type, 'registration', name, `${version}.json`)
const contentUrl = (owner: RegistryOwner, { name, version }: VersionWithMetadata): string =>
  urlBelow(owner, type, 'package', name, version, `${name}.${version}.nupkg`)

/** Presents the service index of protocol version 3. */
export function presentServices(owner: RegistryOwner) {
  const base = registryUrl(owner, type)
  const resources: [string, string][] = [
    ...['', '/3.0.0-beta', '/3.0.0-rc'].map((kind): [string, string] => [`${base}/query`, `SearchQueryService${kind}`]),
    ...['', '/3.0.0-beta', '/3.0.0-rc'].map((kind): [string, string] => [
      `${base}/registration`,
      `RegistrationsBaseUrl${kind}`,
    ]),
    [`${base}/package`, 'PackageBaseAddress/3.0.0'],
    [base, 'PackagePublish/2.0.0'],
    [`${base}/symbolpackage`, 'SymbolPackagePublish/4.9.0'],
  ]
  return { version: '3.0.0', resources: resources.map(([id, kind]) => ({ '@id': id, '@type': kind })) }
}

/** Presents packages that a search found. */
export const presentFound = (owner: RegistryOwner, packages: readonly FoundPackage[], totalHits: number) => ({
  totalHits,
  data: packages.map(({ versions, newest }) => {
    const sorted = versions.toSorted((one, other) => compareNuget(one.version, other.version))
    const { description, authors, projectUrl, tags } = metadataOf<NugetMetadata>(newest)
    return {
      id: newest.name,
      version: newest.version,
      versions: sorted.map((version) => ({
        '@id': registrationLeaf(owner, newest.name, version.version),
        version: version.version,
        downloads: version.download_count,
      })),
      totalDownloads: versions.reduce((sum, version) => sum + version.download_count, 0),
      description,
      authors,
      projectURL: projectUrl,
      tags: tags.split(/\s+/).filter(Boolean),
      registration: registrationIndex(owner, newest.name),
    }
  }),
})

function presentEntry(owner: RegistryOwner, version: VersionWithMetadata) {
  const metadata = metadataOf<NugetMetadata>(version)
  const leaf = registrationLeaf(owner, version.name, version.version)
  const packageContent = contentUrl(owner, version)
  return {
    '@id': leaf,
    packageContent,
    catalogEntry: {
      '@id': leaf,
      packageContent,
      id: version.name,
      version: version.version,
      description: metadata.description,
      releaseNotes: metadata.releaseNotes,
      authors: metadata.authors,
      requireLicenseAcceptance: metadata.requireLicenseAcceptance,
      projectURL: metadata.projectUrl,
      listed: true,
      published: formatUnix(version.created_unix),
      dependencyGroups: metadata.dependencies.map(({ targetFramework, packages }) => ({
        targetFramework,
        dependencies: packages.map(({ id, version: range }) => ({ id, range })),
      })),
    },
  }
}

/** Presents all versions of a package on one page. */
export function presentRegistration(owner: RegistryOwner, versions: readonly VersionWithMetadata[]) {
  const sorted = versions.toSorted((one, other) => compareNuget(one.version, other.version))
  const index = registrationIndex(owner, sorted[0]?.name ?? '')
  const page = {
    '@id': index,
    lower: sorted[0]?.version,
    upper: sorted.at(-1)?.version,
    count: sorted.length,
    items: sorted.map((version) => presentEntry(owner, version)),
  }
  const kinds = ['catalog:CatalogRoot', 'PackageRegistration', 'catalog:Permalink']
  return { '@id': index, '@type': kinds, count: 1, items: [page] }
}

/** Presents one version. */
export const presentLeaf = (owner: RegistryOwner, version: VersionWithMetadata) => ({
  '@id': registrationLeaf(owner, version.name, version.version),
  '@type': ['Package', 'http://schema.nuget.org/catalog#Permalink'],
  listed: true,
  packageContent: contentUrl(owner, version),
  published: formatUnix(version.created_unix),
  registration: registrationIndex(owner, version.name),
})

const head = '<?xml version="1.0" encoding="utf-8"?>'
const namespaces =
  'xmlns="http://www.w3.org/2005/Atom" xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices" xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"'

/** Presents the service document of protocol version 2. */
export const serviceDocument = (owner: RegistryOwner): string =>
  `${head}<service xmlns="http://www.w3.org/2007/app" xmlns:atom="http://www.w3.org/2005/Atom" xml:base="${escapeXml(registryUrl(owner, type))}"><workspace><atom:title>Default</atom:title><collection href="Packages"><atom:title>Packages</atom:title></collection></workspace></service>`

const properties: readonly [string, string][] = [
  ['Id', 'String'],
  ['Version', 'String'],
  ['NormalizedVersion', 'String'],
  ['Authors', 'String'],
  ['Created', 'DateTime'],
  ['Dependencies', 'String'],
  ['Description', 'String'],
  ['DownloadCount', 'Int64'],
  ['LastUpdated', 'DateTime'],
  ['Published', 'DateTime'],
  ['PackageSize', 'Int64'],
  ['ProjectUrl', 'String'],
  ['ReleaseNotes', 'String'],
  ['RequireLicenseAcceptance', 'Boolean'],
  ['Title', 'String'],
  ['VersionDownloadCount', 'Int64'],
]

/** Presents the metadata document of protocol version 2. */
export function metadataDocument(): string {
  const shown = properties.map(([name, kind]) => `<Property Name="${name}" Type="Edm.${kind}"/>`).join('')
  const entity = `<EntityType Name="V2FeedPackage" m:HasStream="true"><Key><PropertyRef Name="Id"/><PropertyRef Name="Version"/></Key>${shown}</EntityType>`
  const container =
    '<EntityContainer Name="V2FeedContext" m:IsDefaultEntityContainer="true"><EntitySet Name="Packages" EntityType="V2FeedPackage"/></EntityContainer>'
  return `${head}<edmx:Edmx Version="1.0" xmlns:edmx="http://schemas.microsoft.com/ado/2007/06/edmx"><edmx:DataServices xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata" m:DataServiceVersion="2.0"><Schema Namespace="NuGetGallery.OData" xmlns="http://schemas.microsoft.com/ado/2006/04/edm">${entity}${container}</Schema></edmx:DataServices></edmx:Edmx>`
}

/** Formats dependencies as `id:range:framework` for protocol version 2. */
const dependencyText = ({ dependencies }: NugetMetadata): string =>
  dependencies
    .flatMap(({ targetFramework, packages }) =>
      packages.map(({ id, version }) => `${id}:${version}:${targetFramework}`),
    )
    .join('|')

function entry(owner: RegistryOwner, version: VersionWithMetadata, sizeBytes: number, isAlone: boolean): string {
  const metadata = metadataOf<NugetMetadata>(version)
  const id = `${registryUrl(owner, type)}/Packages(Id='${version.name}',Version='${version.version}')`
  const made = formatUnix(version.created_unix)
  const property = (name: string, value: string, kind?: string): string =>
    value === '' && !kind && name !== 'Dependencies'
      ? ''
      : `<d:${name}${kind ? ` m:type="Edm.${kind}"` : ''}>${escapeXml(value)}</d:${name}>`
  const shown = [
    property('Id', version.name),
    property('Version', version.version),
    property('NormalizedVersion', version.version),
    property('Authors', metadata.authors),
    property('Dependencies', dependencyText(metadata)),
    property('Description', metadata.description),
    property('VersionDownloadCount', String(version.download_count), 'Int64'),
    property('DownloadCount', String(version.download_count), 'Int64'),
    property('PackageSize', String(sizeBytes), 'Int64'),
    property('Created', made, 'DateTime'),
    property('LastUpdated', made, 'DateTime'),
    property('Published', made, 'DateTime'),
    property('ProjectUrl', metadata.projectUrl),
    property('ReleaseNotes', metadata.releaseNotes),
    property('RequireLicenseAcceptance', String(metadata.requireLicenseAcceptance), 'Boolean'),
    property('DevelopmentDependency', String(metadata.developmentDependency), 'Boolean'),
    property('Tags', metadata.tags),
    property('Title', metadata.title),
  ]
  const content = `<content type="application/zip" src="${escapeXml(contentUrl(owner, version))}"/>`
  return `<entry${isAlone ? ` ${namespaces}` : ''}><id>${escapeXml(id)}</id><title>${escapeXml(version.name)}</title><updated>${made}</updated><author><name>${escapeXml(metadata.authors)}</name></author>${content}<m:properties>${shown.join('')}</m:properties></entry>`
}

/** Presents one version for protocol version 2. */
export const entryDocument = (owner: RegistryOwner, version: VersionWithMetadata, sizeBytes: number): string =>
  head + entry(owner, version, sizeBytes, true)

/** Presents versions for protocol version 2. */
export function feedDocument(
  owner: RegistryOwner,
  versions: readonly VersionWithMetadata[],
  sizes: ReadonlyMap<number, number>,
  total: number,
): string {
  const base = escapeXml(registryUrl(owner, type))
  const entries = versions.map((version) => entry(owner, version, sizes.get(version.id) ?? 0, false)).join('')
  return `${head}<feed ${namespaces} xml:base="${base}"><id>${base}/Packages</id><title>Packages</title><updated>${formatUnix(versions.at(-1)?.created_unix ?? 0)}</updated><m:count>${total}</m:count>${entries}</feed>`
}
