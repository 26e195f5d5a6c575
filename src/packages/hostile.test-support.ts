import { brotliDecompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { packBzip2 } from './formats/pack-bzip2.ts'
import { textEntry, numberEntry } from './formats/rpm-header.ts'
import { rpmOf } from './formats/rpm.test-support.ts'
import { tarOf, tgzOf, zipOf } from './packages.test-support.ts'

/** An upload that is expensive for a careless parser. */
export interface HostileUpload {
  readonly what: string
  readonly method: 'PUT' | 'POST'
  /** The path below an owner's registries; that of an image begins with `v2/`. */
  readonly path: string
  readonly contentType?: string
  readonly content: Buffer
}

/** Returns the path of an upload on the server. */
export const sitePathOf = ({ path }: HostileUpload, owner: string): string =>
  path.startsWith('v2/') ? `/v2/${owner}/${path.slice(3)}` : `/api/packages/${owner}/${path}`

/** Returns the registry type of an upload. */
export const registryOfUpload = ({ path }: HostileUpload): string =>
  path.startsWith('v2/') ? 'container' : (path.split('/')[0] ?? '')

/** 46 kB of xz that unpack to a tar archive with a file of 300 MiB. */
const xzBomb = brotliDecompressSync(
  Buffer.from(
    'G2+zIGYAT01H0QfrAZcjskSKPHHpSnSLS+Ah+0OTmQeYf7wBegYAAHWz0yUDAZCD0AAAqHNLiQGDWUBZxgA7gTyGx2+Cwwl++ehVfshX7kW21poMMVvGaS68LF7i9eCU0t2ZJf5mPfSBgk1buKrd7fgzPG6F8zZtHuwHP5VKNR24Q9hJGzQa9uG//75E6cOc+f7pEzzFdETrtAfMTJKC6b1AJ8+vTVrUdGVRvykg6qpQTvMmH5gha+HDVj+/k7MHXq/oiwGp3fgG2vznwxUiOtYhcl9rXjqRRVAuS8P7dwnNucxglscC4oGVdlo8I/2YexsNvZF7nyb9q2tDaLhfswfNf/9oMHotkxiSSfw61hT+SW8FLxi2yOB02i34NjXMYtqAKqJoI5GGiQJGy/zp7qf/E3EZnE0ng1r/N+jkTwEbi85YavRnZPiY9RS15s9v6Tzs0NVtL67jbsqySOvp6A3NZu27WiXQZ1IKRgMxAk+emrX/RlqC2AlKe5PZXdxKailNn+gWo9ez8xJCGNI/aL1/4I/B5Cnn/dtr3U5D3Z9rHVAB1FFFOz5DWPIjgCDVs9deIOYgo45jOM5+KACavoEIiwrLAQFA75+/CFi4gmyQAITSNwA=',
    'base64',
  ),
)

/** Returns an ar archive with one member, the format of Debian packages. */
const arOf = (name: string, content: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`!<arch>\n${name.padEnd(48)}${String(content.length).padEnd(10)}\`\n`),
    content,
    Buffer.alloc(content.length % 2, 10),
  ])

const filesOf = (count: number, nameOf: (index: number) => string, content = ''): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [nameOf(index), content]))

/** Returns a form with text fields and one file. */
function formOf(fields: Readonly<Record<string, string>>, file: string, content: Buffer): Buffer {
  const head = (name: string) => `--b\r\ncontent-disposition: form-data; name="${name}"`
  return Buffer.concat([
    ...Object.entries(fields).map(([name, text]) => Buffer.from(`${head(name)}\r\n\r\n${text}\r\n`)),
    Buffer.from(`${head(file)}; filename="a-1.0.0.tar.gz"\r\n\r\n`),
    content,
    Buffer.from('\r\n--b--\r\n'),
  ])
}

/** JSON texts of about `bytes` that are most expensive to parse. */
const jsonBombs = (bytes: number): readonly (readonly [what: string, text: string])[] => [
  ['lists inside lists', '['.repeat(bytes / 2) + ']'.repeat(bytes / 2)],
  ['many objects', `[${'{},'.repeat(bytes / 3)}0]`],
  ['many keys', `{${Array.from({ length: bytes / 10 }, (_, at) => `"${at.toString(36)}":0`).join(',')}}`],
]

/** YAML texts that are most expensive to parse. */
const yamlBombs: readonly (readonly [what: string, text: string])[] = [
  ['keys inside keys', '? '.repeat(700)],
  ['lists inside lists', '['.repeat(100_000)],
  ['a list of lists', '- '.repeat(100_000)],
  ['many keys', Array.from({ length: 20_000 }, (_, at) => `k${at}: 1\n`).join('')],
]

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

const crateOf = (about: string): Buffer =>
  Buffer.concat([uint32(about.length), Buffer.from(about), uint32(1), Buffer.from('x')])

const repeated = (text: string, bytes: number): string => text.repeat(Math.floor(bytes / text.length))

/** RPM header entries whose full paths are much longer than the package. */
const hostilePaths = [
  numberEntry(1116, Array(30_000).fill(0)),
  textEntry(1117, Array(30_000).fill('x')),
  textEntry(1118, ['/'.repeat(300_000)]),
]

/** Uploads that are parsed alike. */
export interface HostileUploads {
  readonly what: string
  /** Their registry types, as `registryOfUpload` names them. */
  readonly registries: readonly string[]
  readonly make: () => Promise<readonly HostileUpload[]>
}

/** The most expensive known uploads of each parser. */
export const hostileUploads: readonly HostileUploads[] = [
  {
    what: 'compressed archives and their descriptions',
    registries: ['alpine', 'arch', 'composer', 'cran', 'debian', 'helm', 'maven', 'nuget', 'rpm', 'rubygems'],
    make: describedUploads,
  },
  {
    what: 'descriptions in JSON and YAML',
    registries: ['cargo', 'chef', 'composer', 'conda', 'container', 'npm', 'pub', 'swift', 'vagrant'],
    make: jsonUploads,
  },
  {
    what: 'names, fields and short texts',
    registries: ['alt', 'conan', 'conda', 'generic', 'go', 'pypi', 'swift'],
    make: archiveUploads,
  },
]

const put = (what: string, path: string, content: Buffer): HostileUpload => ({ what, method: 'PUT', path, content })

/** Uploads to registries that unpack an archive and read its description. */
async function describedUploads(): Promise<readonly HostileUpload[]> {
  const chart = async (what: string, text: string) =>
    ({ ...put(what, 'helm/api/charts', await tgzOf({ 'a/Chart.yaml': text })), method: 'POST' }) as const
  const deb = async (what: string, control: string) =>
    put(what, 'debian/pool/a/main/upload', arOf('control.tar', await tarOf({ control })))
  const arch = async (what: string, text: string) => put(what, 'arch/core', await tgzOf({ '.PKGINFO': text }))
  const alpine = async (what: string, text: string) => put(what, 'alpine/v3/main', await tgzOf({ '.PKGINFO': text }))
  const cran = async (what: string, text: string) => put(what, 'cran/src', await tgzOf({ 'a/DESCRIPTION': text }))
  const nuget = (what: string, text: string) => put(what, 'nuget', zipOf({ 'a.nuspec': text }))
  const gem = async (what: string, text: string) =>
    ({
      ...put(what, 'rubygems/api/v1/gems', await tarOf({ 'metadata.gz': gzipSync(text), 'data.tar.gz': gzipSync('') })),
      method: 'POST',
    }) as const
  const composer = (what: string, about: object) =>
    put(what, 'composer', zipOf({ 'composer.json': JSON.stringify(about) }))
  const xml = (inner: string) => `<package><metadata><id>a</id><version>1.0.0</version>${inner}</metadata></package>`
  const control = 'Package: a\nVersion: 1\nArchitecture: all\nMaintainer: a <a@b.c>\n'
  const info = 'pkgname = a\npkgver = 1-1\narch = any\n'
  return [
    put('xz that unpacks to 300 MiB', 'arch/core', xzBomb),
    put('xz inside of a Debian package', 'debian/pool/a/main/upload', arOf('control.tar.xz', xzBomb)),
    put('49,000 descriptions', 'composer', zipOf(filesOf(49_000, (index) => `${index}/composer.json`, '{}'))),
    composer('a name without a separator', { name: 'a'.repeat(200) }),
    composer('a version of digits', { name: 'a/b', version: `${'1'.repeat(190)}!` }),
    put('49,000 names', 'nuget', zipOf(filesOf(49_000, (index) => `${index}/x`))),
    {
      ...put('49,000 empty files', 'helm/api/charts', await tgzOf(filesOf(49_000, (index) => `${index}/x`))),
      method: 'POST',
    },
    put('folders times names', 'rpm/upload', rpmOf('a', '1', { more: hostilePaths })),
    await chart('lists inside lists', '['.repeat(100_000)),
    await chart('keys inside keys', '? '.repeat(700)),
    await chart('many keys', Array.from({ length: 50_000 }, (_, index) => `k${index}: 1`).join('\n')),
    await gem('a list of lists', '- '.repeat(100_000)),
    await gem('keys inside keys', '? '.repeat(700)),
    await deb('continued lines', `${control}Description: a\n${repeated(' \n', 1_000_000)}`),
    await deb('fields', control + Array.from({ length: 80_000 }, (_, index) => `X${index}: a\n`).join('')),
    await deb('relations', `${control}Depends: ${repeated('a (>= 1), ', 1_000_000)}a\n`),
    await deb('blanks', `${control}Description: ${repeated(' ', 1_000_000)}x\n`),
    await arch('relations', info + repeated('depend = a>=1\n', 1_000_000)),
    await arch('blanks', `${info}pkgdesc = ${repeated(' ', 1_000_000)}x\n`),
    await alpine('relations', info + repeated('depend = a>=1\n', 1_000_000)),
    await alpine('blanks', `${info}pkgdesc = ${repeated(' ', 1_000_000)}x\n`),
    await cran('relations', `Package: a\nVersion: 1.0\nImports: ${repeated('a (>= 1), ', 1_000_000)}a\n`),
    await cran('blanks', `Package: a\nVersion: 1.0\nTitle: ${repeated(' ', 1_000_000)}x\n`),
    nuget('elements', xml(repeated('<a/>', 1_000_000))),
    nuget('attributes', xml(`<a ${Array.from({ length: 80_000 }, (_, index) => `a${index}=""`).join(' ')}/>`)),
    nuget('elements inside elements', xml(repeated('<a>', 1_000_000))),
    nuget('text parts', xml(`<description>${repeated('&amp;', 1_000_000)}</description>`)),
    put('elements of a pom', 'maven/a/a/1/a-1.pom', Buffer.from(`<project>${repeated('<a/>', 900_000)}</project>`)),
  ]
}

/** Uploads to registries whose descriptions are JSON or YAML. */
async function jsonUploads(): Promise<readonly HostileUpload[]> {
  const form = (
    upload: HostileUpload,
    field: string,
    fields: Readonly<Record<string, string>> = {},
  ): HostileUpload => ({
    ...upload,
    contentType: 'multipart/form-data; boundary=b',
    content: formOf(fields, field, upload.content),
  })
  const post = (upload: HostileUpload): HostileUpload => ({ ...upload, method: 'POST' })
  const manifestType = 'application/vnd.oci.image.manifest.v1+json'
  const manifest = (what: string, more: string): HostileUpload => ({
    ...put(what, 'v2/image/manifests/latest', Buffer.from(`{"schemaVersion":2,"mediaType":"${manifestType}",${more}}`)),
    contentType: manifestType,
  })
  const document = (what: string, more: string) =>
    put(
      what,
      'npm/a',
      Buffer.from(`{"name":"a","versions":{"1.0.0":{"version":"1.0.0"}},"_attachments":{"a":{"data":""}},${more}}`),
    )
  const tags = Array.from({ length: 150_000 }, (_, at) => `"t${at}":"1.0.0"`).join(',')
  const layers = `{"digest":"sha256:${'0'.repeat(64)}","size":1},`
  const archived = await Promise.all([
    ...jsonBombs(1_900_000).map(async ([what, text]) =>
      post(
        form(
          put(what, 'chef/api/v1/cookbooks', await tgzOf({ 'metadata.json': `{"dependencies":${text}}` })),
          'tarball',
        ),
      ),
    ),
    ...jsonBombs(250_000).map(async ([what, text]) =>
      put(what, 'vagrant/a/1.0.0/a.box', await tgzOf({ 'metadata.json': '{}', 'info.json': `{"a":${text}}` })),
    ),
    ...jsonBombs(1_000_000).map(async ([what, text]) => {
      const info = zstdCompressSync(await tarOf({ 'info/index.json': `{"depends":${text}}` }))
      return put(what, 'conda/a-1-0.conda', zipOf({ 'info-a.tar.zst': info }))
    }),
    ...yamlBombs.map(async ([what, text]) =>
      post(form(put(what, 'pub/api/packages/versions/new/upload', await tgzOf({ 'pubspec.yaml': text })), 'file')),
    ),
  ])
  return [
    ...archived,
    ...jsonBombs(1_000_000).map(([what, text]) =>
      put(what, 'composer', zipOf({ 'composer.json': `{"name":"a/b","version":"1","extra":${text}}` })),
    ),
    ...jsonBombs(250_000).map(([what, text]) =>
      form(put(what, 'swift/a/b/1.0.0', zipOf({ 'Package.swift': '' })), 'source-archive', {
        metadata: `{"a":${text}}`,
      }),
    ),
    ...jsonBombs(3_900_000).flatMap(([what, text]) => [
      document(what, `"a":${text}`),
      manifest(what, `"annotations":${text}`),
    ]),
    document('tags', `"dist-tags":{${tags}}`),
    manifest('layers', `"layers":[${layers.repeat(35_000)}0]`),
    ...jsonBombs(1_900_000).map(([what, text]) => put(what, 'cargo/api/v1/crates/new', crateOf(`{"a":${text}}`))),
    put(
      'dependencies',
      'cargo/api/v1/crates/new',
      crateOf(`{"name":"a","vers":"1.0.0","deps":[${'0,'.repeat(900_000)}0]}`),
    ),
  ]
}

/** Uploads to registries that parse names, fields and short texts. */
async function archiveUploads(): Promise<readonly HostileUpload[]> {
  const recipe = 'conan/v2/conans/a/1.0/_/_/revisions/r/files/conanfile.py'
  const binary = 'conan/v2/conans/a/1.0/_/_/revisions/r/packages/p/revisions/q/files/conaninfo.txt'
  const fields = Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`field${at}`, 'x'.repeat(250_000)]))
  const wheel: HostileUpload = {
    ...put(
      'long fields',
      'pypi',
      formOf({ ...fields, name: 'a', version: `1${'.1'.repeat(98)}!` }, 'content', Buffer.from('x')),
    ),
    method: 'POST',
    contentType: 'multipart/form-data; boundary=b',
  }
  const manyNames = zipOf(filesOf(49_000, (at) => `a@v1.0.0/${at}`))
  const manifests = filesOf(20, (at) => `Package@swift-5.${at}.swift`, 'x'.repeat(256 << 10))
  return [
    put('a large file', 'generic/a/2/b', Buffer.alloc(8 << 20)),
    put('49,000 names', 'go/upload', manyNames),
    put('a long go.mod', 'go/upload', zipOf({ 'a@v1.0.1/go.mod': 'x'.repeat(1 << 20) })),
    put('manifests', 'swift/a/c/1.0.0', zipOf({ 'Package.swift': '', ...manifests })),
    put('lists of topics', recipe, Buffer.from(repeated(`topics = (${'"a",'.repeat(1000)}\n`, 1 << 20))),
    put('texts of a recipe', recipe, Buffer.from(repeated(`license = "${'a'.repeat(4000)}\n`, 1 << 20))),
    put('blanks of a recipe', recipe, Buffer.from(`license = "a"${repeated(' ', 1_000_000)}x`)),
    put('sections', binary, Buffer.from(repeated('[settings]\n', 64 << 10))),
    put('bzip2 of many empty files', 'conda/b-1-0.tar.bz2', packBzip2(await tarOf(filesOf(500, (at) => `info/${at}`)))),
    put('folders times names', 'alt/a/upload', rpmOf('a', '1', { more: hostilePaths })),
    wheel,
  ]
}
