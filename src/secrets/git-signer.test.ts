import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { runProgram } from '../testing/program.ts'
import { makeSshKey, sshSigner, UnusableKey } from './git-signer.ts'
import { parseTextSignature } from './ssh-public-key.ts'

test('sshSigner: ssh-keygen and the server verify signatures of each key type', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-signer-'))
  try {
    const content = Buffer.from('tree of a commit\n')
    const kinds = [
      ['ed25519'],
      ['ecdsa', '-b', '256'],
      ['ecdsa', '-b', '384'],
      ['ecdsa', '-b', '521'],
      ['rsa', '-b', '2048'],
      ['rsa', '-b', '2048', '-m', 'PEM'],
    ]
    const texts: { text: string; line?: string }[] = [{ text: await makeSshKey() }]
    for (const [index, kind] of kinds.entries()) {
      const file = join(folder, `key${index}`)
      const made = await runProgram('ssh-keygen', ['-q', '-t', ...kind, '-N', '', '-C', '', '-f', file])
      assert.equal(made.code, 0, made.err)
      texts.push({ text: readFileSync(file, 'utf8'), line: readFileSync(`${file}.pub`, 'utf8').trim() })
    }
    for (const { text, line } of texts) {
      const signer = await sshSigner(text)
      assert.equal(signer.publicKey.trim(), line ?? signer.publicKey.trim())
      const signature = await signer.sign(content, 0)
      const parsed = parseTextSignature(signature)
      assert.deepEqual([parsed?.fingerprint, parsed?.proves(content)], [signer.fingerprint, true])
      assert.equal(parsed?.proves(Buffer.from('another')), false)
      const [signers, made] = [join(folder, 'signers'), join(folder, 'signature')]
      writeFileSync(signers, `forge ${signer.publicKey}`)
      writeFileSync(made, signature)
      const args = ['-Y', 'verify', '-f', signers, '-I', 'forge', '-n', 'git', '-s', made]
      const checked = await runProgram('ssh-keygen', args, { input: content.toString() })
      assert.equal(checked.code, 0, `${signer.publicKey}: ${checked.out}${checked.err}`)
    }
    const locked = join(folder, 'locked')
    await runProgram('ssh-keygen', ['-q', '-t', 'ed25519', '-N', 'secret', '-f', locked])
    for (const bad of [readFileSync(locked, 'utf8'), readFileSync(`${locked}.pub`, 'utf8'), 'hello', '']) {
      await assert.rejects(sshSigner(bad), UnusableKey)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
