import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Clone } from '../../testing/clone.ts'
import { runProgram } from '../../testing/program.ts'
import { contentOf, LfsClient, pointerTo, startLfs } from '../lfs.test-support.ts'

/** Prints the content of an archive: for each path its kind, mode and SHA-256 or link target. */
const reader = `
import hashlib, json, stat, sys, tarfile, zipfile
path, entries = sys.argv[1], {}
if path.endswith('.zip'):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        for info in archive.infolist():
            mode, content = info.external_attr >> 16, archive.read(info)
            kind = 'link' if stat.S_ISLNK(mode) else 'folder' if info.is_dir() else 'file'
            entries[info.filename.rstrip('/')] = [kind, bool(mode & 0o100) and kind == 'file', content]
else:
    with tarfile.open(path) as archive:
        for info in archive.getmembers():
            kind = 'link' if info.issym() else 'folder' if info.isdir() else 'file'
            content = info.linkname.encode() if kind == 'link' else archive.extractfile(info).read() if kind == 'file' else b''
            entries[info.name] = [kind, bool(info.mode & 0o100) and kind == 'file', content]
print(json.dumps({name: [kind, runs, hashlib.sha256(content).hexdigest()] for name, (kind, runs, content) in entries.items()}))
`

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex')

test('repoGetArchive, webArchive: archives contain LFS objects instead of pointers when configured', async () => {
  await using forge = await startLfs({ settings: { ingot: { LFS_IN_ARCHIVES: true } } })
  const repo = await forge.given.repo({ owner: 'alice', private: true })
  const large = contentOf(createHash('shake256', { outputLength: 1_500_001 }).update('large').digest())
  const [late, foreign] = [contentOf('comes later'), contentOf('of another repository')]
  const other = await forge.given.repo({ owner: 'alice', name: 'other' })
  await new LfsClient(forge.as('alice'), other).put(foreign)
  const client = new LfsClient(forge.as('alice'), repo)
  await client.put(large)
  using clone = await Clone.of(forge, 'alice', repo.fullName)
  const long = join('a-folder-with-a-long-name'.repeat(5), 'ö'.repeat(60))
  mkdirSync(join(clone.path, 'a-folder-with-a-long-name'.repeat(5)))
  for (const [name, content] of [
    ['large.bin', pointerTo(large)],
    ['tool', pointerTo(large)],
    [long, pointerTo(large)],
    ['late', pointerTo(late)],
    ['foreign', pointerTo(foreign)],
    ['small.txt', 'small\n'],
    ['empty', ''],
  ] as const) {
    writeFileSync(join(clone.path, name), content)
  }
  chmodSync(join(clone.path, 'tool'), 0o755)
  symlinkSync('small.txt', join(clone.path, 'link'))
  await clone.must('add', '.')
  await clone.must('commit', '-q', '-m', 'files')
  await clone.must('push', '-q', 'origin', 'HEAD:main')

  const read = async (format: string): Promise<Record<string, unknown>> => {
    const { bytes } = await forge.as('alice').must('GET', `${repo.api}/archive/main.${format}`)
    const path = join(clone.folder, `archive.${format}`)
    writeFileSync(path, bytes)
    const { code, out, err } = await runProgram('python3', ['-c', reader, path])
    assert.equal(code, 0, err)
    const entries = Object.entries(JSON.parse(out) as Record<string, unknown>)
    return Object.fromEntries(entries.map(([name, entry]) => [name.replace(/^[^/]+\//, ''), entry]))
  }
  for (const format of ['zip', 'tar.gz']) {
    const entries = await read(format)
    assert.deepEqual(
      [entries['large.bin'], entries['tool'], entries[long], entries['link'], entries['empty'], entries['small.txt']],
      [
        ['file', false, large.oid],
        ['file', true, large.oid],
        ['file', false, large.oid],
        ['link', false, sha256('small.txt')],
        ['file', false, sha256('')],
        ['file', false, sha256('small\n')],
      ],
      format,
    )
    assert.deepEqual(entries['foreign'], ['file', false, sha256(pointerTo(foreign))], 'what the repository has not')
    assert.deepEqual(entries['late'], ['file', false, sha256(pointerTo(late))])
  }
  // A missing object is not remembered.
  await client.put(late)
  for (const format of ['zip', 'tar.gz']) assert.deepEqual((await read(format))['late'], ['file', false, late.oid])
  assert.equal((await forge.guest.get(`/${repo.fullName}/archive/main.zip`, { site: true })).status, 404)
})

test('repoGetArchive: objects beyond the size limit of archives are refused', async () => {
  await using forge = await startLfs({ settings: { ingot: { LFS_IN_ARCHIVES: true, MAX_ARCHIVE_SIZE: '1 MiB' } } })
  const repo = await forge.given.repo({ owner: 'alice' })
  const zeros = contentOf(Buffer.alloc(700_000))
  await new LfsClient(forge.as('alice'), repo).put(zeros)
  const content = Buffer.from(pointerTo(zeros)).toString('base64')
  for (const [name, status] of [
    ['one', 200],
    ['two', 413],
  ] as const) {
    await forge.as('alice').must('POST', `${repo.api}/contents/${name}`, { content })
    for (const format of ['zip', 'tar.gz']) {
      assert.equal((await forge.guest.get(`${repo.api}/archive/main.${format}`)).status, status, `${name} ${format}`)
    }
  }
})
