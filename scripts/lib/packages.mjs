/**
 * The packages that are published: `ingot-forge`, and for each platform one with the native build of the embedded
 * database. `ingot-forge` names those as optional dependencies of its own version, and npm installs the one whose
 * `os`, `cpu` and `libc` match.
 */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle, platformPackage, programEntries, sqlitePrebuilds } from './bundle.mjs'
import { fail, fromRoot, readJson, root } from './project.mjs'

/** One folder for each package, ready for `npm publish`. */
export const packagesFolder = fromRoot('build', 'packages')

/** The platforms that the database has builds for, such as `linuxmusl-x64`. */
const platforms = readdirSync(sqlitePrebuilds)
  .filter((name) => name.endsWith('.node'))
  .map((name) => name.slice(0, -'.node'.length))

/** The folder of a package; a scope is not part of it. */
const folderOf = (name) => join(packagesFolder, name.split('/').at(-1))

/** Fields of package.json that every package has. */
const commonFields = ({ version, homepage, bugs, repository, license }) => ({
  version,
  homepage,
  bugs,
  repository,
  license,
})

const writeJson = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)

/** Writes the folders of all packages. */
export async function writePackages() {
  rmSync(packagesFolder, { recursive: true, force: true })
  for (const platform of platforms) writePlatformPackage(platform)
  const folder = folderOf('ingot-forge')
  mkdirSync(folder, { recursive: true })
  await bundle(programEntries, join(folder, 'dist'), { isPackage: true })
  chmodSync(join(folder, 'dist/ingot.js'), 0o755)
  emitTypes(join(folder, 'dist'))
  const project = readJson('package.json')
  const { name, description, keywords, type, engines, bin, exports, files, dependencies } = project
  for (const file of files.filter((each) => each !== 'dist')) copyFileSync(fromRoot(file), join(folder, file))
  writeJson(join(folder, 'package.json'), {
    ...{ name, description, keywords, ...commonFields(project), type, engines, bin, exports, files, dependencies },
    optionalDependencies: Object.fromEntries(platforms.map((each) => [platformPackage(each), project.version])),
  })
  checkNamedFiles(folder, { bin, exports })
}

/** Writes the package of a platform: the native file, with the licence of the database. */
function writePlatformPackage(platform) {
  const [, system, libc = '', cpu] = /^(linux|darwin|win32)(musl)?-(x64|arm64)$/.exec(platform) ?? []
  if (system === undefined) fail(`${sqlitePrebuilds} has a build for an unknown platform: ${platform}`)
  const name = platformPackage(platform)
  const folder = folderOf(name)
  mkdirSync(folder, { recursive: true })
  const source = join(sqlitePrebuilds, `${platform}.node`)
  const built = readFileSync(source)
  if (builtFor(built) !== `${system}-${cpu}`) fail(`${source} is a build for ${builtFor(built)}`)
  writeFileSync(join(folder, 'sqlite.node'), built)
  copyFileSync(fromRoot('node_modules/better-sqlite3/LICENSE'), join(folder, 'LICENSE'))
  writeJson(join(folder, 'package.json'), {
    name,
    description: `The embedded database of ingot-forge for ${platform}`,
    ...commonFields(readJson('package.json')),
    os: [system],
    cpu: [cpu],
    ...(system === 'linux' ? { libc: [libc === '' ? 'glibc' : libc] } : {}),
    main: 'sqlite.node',
    files: ['sqlite.node'],
    publishConfig: { access: 'public' },
  })
}

/** The system and processor of a native file, from its header (ELF, Mach-O or PE). */
function builtFor(file) {
  const cpus = { 62: 'x64', 183: 'arm64', 0x01000007: 'x64', 0x0100000c: 'arm64', 0x8664: 'x64', 0xaa64: 'arm64' }
  if (file.readUInt32BE(0) === 0x7f454c46) return `linux-${cpus[file.readUInt16LE(18)]}`
  if (file.readUInt32LE(0) === 0xfeedfacf) return `darwin-${cpus[file.readUInt32LE(4)]}`
  if (file.toString('latin1', 0, 2) === 'MZ') return `win32-${cpus[file.readUInt16LE(file.readUInt32LE(60) + 4)]}`
  return 'no known platform'
}

/**
 * Writes the declarations of each public entry in the two forms that package.json names. The entry declares all of its
 * types itself, so the output needs no other file, and the compiler reads nothing else: it refuses a type that it would
 * have to find elsewhere. `npm run package` compiles the result strictly.
 */
function emitTypes(dist) {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-types-'))
  try {
    const result = spawnSync(
      process.execPath,
      [fromRoot('node_modules/typescript/bin/tsc'), '-p', fromRoot('tsconfig.types.json'), '--outDir', folder],
      { cwd: root, stdio: ['ignore', 2, 2] },
    )
    if (result.status !== 0) fail('the declarations could not be written')
    const types = readFileSync(join(folder, 'testing', 'index.d.ts'), 'utf8')
    if (/\bfrom ['"]|\bimport\b\s*\(/.test(types)) fail('src/testing/index.ts must describe its types without imports')
    for (const name of ['testing.d.ts', 'testing.d.cts']) writeFileSync(join(dist, name), types)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Fails when a file that package.json names is missing: such a package is unusable. */
function checkNamedFiles(folder, { bin, exports }) {
  const named = [bin, exports].flatMap(function pathsOf(value) {
    return typeof value === 'string' ? [value] : Object.values(value).flatMap(pathsOf)
  })
  const missing = named.filter((path) => !existsSync(join(folder, path)))
  if (missing.length > 0) fail(`package.json names files that the build did not make: ${missing.join(', ')}`)
}
