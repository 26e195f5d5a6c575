import { test } from 'node:test'
import { skip } from '../src/testing/chromium.ts'
import { startForge } from '../src/testing/forge.ts'
import { sshSettings } from '../src/testing/ssh.ts'
import { contribute, createFile, openPull } from './team-acts.test-support.ts'
import { prepare, protect, report } from './team-project.test-support.ts'
import { createToken, Gate, hammer, mergeAfterCheck, review, rewrite, seeRewrite } from './team-change.test-support.ts'
import { deliver, document, triage, upload, useSshKey } from './team-release.test-support.ts'
import { Person, together } from './team.test-support.ts'

test("pages: a team's week, from sign-up to release", { skip }, async () => {
  await using forge = await startForge({ settings: { ...sshSettings, ingot: { SIGN_UP_WORK: 10 } } })
  await using ada = await Person.at(forge, 'ada')
  await using ben = await Person.at(forge, 'ben')
  await using cleo = await Person.at(forge, 'cleo')
  using gate = new Gate()
  await together([ada, ben, cleo], async () => {
    await Promise.all([ada.signUp(), ben.signUp()])
    await prepare(ada)
    await createFile(ada, 'ada/anvil', { name: '.forgejo/workflows/check.yml', text: gate.workflow })
    await protect(ada)
    await report(ada, ben)
    await createFile(ben, 'ada/anvil', { name: 'hammer.txt', text: hammer, branch: 'firm' })
    await openPull(ben, 'Hold the hammer', 'Closes #1')
    await review(ada, ben)
    const token = await createToken(ben)
    await rewrite(forge, token)
    await seeRewrite(ada)
    await mergeAfterCheck(forge, ada, gate)
    await contribute(cleo, ada, 'ada/anvil')
    await triage(forge, ada, ben)
    await deliver(ada)
    await document(ben)
    await upload(forge, ben, token)
    await useSshKey(forge, ben)
  })
})
