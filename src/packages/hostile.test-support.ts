import { brotliDecompressSync, gzipSync } from 'node:zlib'
import { textEntry, numberEntry } from './formats/rpm-header.ts'
import { rpmOf } from './formats/rpm.test-support.ts'
import { tarOf, tgzOf, zipOf } from './packages.test-support.ts'

/** An upload that costs a careless parser very much. */
export interface HostileUpload {
  readonly what: string
  readonly method: 'PUT' | 'POST'
  /** Below the registries of an owner. */
  readonly path: string
  readonly content: Buffer
}

/** 46 kB of xz that unpack to a tar archive with a file of 300 MiB. */
const xzBomb = brotliDecompressSync(
  Buffer.from(
    'G2+zIGYAT01H0QfrAZcjskSKPHHpSnSLS+Ah+0OTmQeYf7wBegYAAHWz0yUDAZCD0AAAqHNLiQGDWUBZxgA7gTyGx2+Cwwl++ehVfshX7kW21poMMVvGaS68LF7i9eCU0t2ZJf5mPfSBgk1buKrd7fgzPG6F8zZtHuwHP5VKNR24Q9hJGzQa9uG//75E6cOc+f7pEzzFdETrtAfMTJKC6b1AJ8+vTVrUdGVRvykg6qpQTvMmH5gha+HDVj+/k7MHXq/oiwGp3fgG2vznwxUiOtYhcl9rXjqRRVAuS8P7dwnNucxglscC4oGVdlo8I/2YexsNvZF7nyb9q2tDaLhfswfNf/9oMHotkxiSSfw61hT+SW8FLxi2yOB02i34NjXMYtqAKqJoI5GGiQJGy/zp7qf/E3EZnE0ng1r/N+jkTwEbi85YavRnZPiY9RS15s9v6Tzs0NVtL67jbsqySOvp6A3NZu27WiXQZ1IKRgMxAk+emrX/RlqC2AlKe5PZXdxKailNn+gWo9ez8xJCGNI/aL1/4I/B5Cnn/dtr3U5D3Z9rHVAB1FFFOz5DWPIjgCDVs9deIOYgo45jOM5+KACavoEIiwrLAQFA75+/CFi4gmyQAITSNwA=',
    'base64',
  ),
)

/** A Unix archive with one member, as Debian packages are. */
const arOf = (name: string, content: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`!<arch>\n${name.padEnd(48)}${String(content.length).padEnd(10)}\`\n`),
    content,
    Buffer.alloc(content.length % 2, 10),
  ])

const filesOf = (count: number, nameOf: (index: number) => string, content = ''): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [nameOf(index), content]))

const repeated = (text: string, bytes: number): string => text.repeat(Math.floor(bytes / text.length))

/** The most expensive known upload of each parser of packages. */
export async function hostileUploads(): Promise<readonly HostileUpload[]> {
  const put = (what: string, path: string, content: Buffer): HostileUpload => ({ what, method: 'PUT', path, content })
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
  const paths = [
    numberEntry(1116, Array(30_000).fill(0)),
    textEntry(1117, Array(30_000).fill('x')),
    textEntry(1118, ['/'.repeat(300_000)]),
  ]
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
    put('folders times names', 'rpm/upload', rpmOf('a', '1', { more: paths })),
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
