import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skip } from '../src/testing/chromium.ts'
import { startForge } from '../src/testing/forge.ts'
import { answerReview, givenOrigin, goOn, propose, reportIssue, tidyUp } from './team-fork.test-support.ts'
import { Keys } from './team-keys.test-support.ts'
import { Network, networkErrors } from './team-network.test-support.ts'
import { review, reviewAgainAndMerge } from './team-review.test-support.ts'
import { Person, together } from './team.test-support.ts'

for (const isFailing of [true]) {
  const how = isFailing ? ', on a network that fails' : ''
  test(`pages: a change comes from a fork and is reviewed by keyboard alone${how}`, { skip }, async () => {
    await using forge = await startForge({ users: ['ada', 'ben'] })
    const expected = isFailing ? networkErrors : undefined
    await using ada = await Person.at(forge, 'ada', { expected })
    await using ben = await Person.at(forge, 'ben', { expected })
    const keys = await Keys.of(ada)
    const maintainer = { keys, network: new Network(ada, isFailing) }
    const contributor = { ben, network: new Network(ben, isFailing) }
    await together([ada, ben], async () => {
      await Promise.all([givenOrigin(forge), keys.signIn(), ben.signIn()])
      await reportIssue(contributor)
      await propose(contributor)
      const address = ben.page.url()
      await goOn(contributor)
      await ben.go(address)
      await review(maintainer, forge)
      await answerReview(contributor, forge)
      await reviewAgainAndMerge(maintainer, forge)
      await tidyUp(contributor)
    })
    assert.ok(true)
  })
}
