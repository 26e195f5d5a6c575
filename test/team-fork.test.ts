import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skip } from '../src/testing/chromium.ts'
import { startForge, type Forge } from '../src/testing/forge.ts'
import { deliver, goFurther, plan } from './team-delivery.test-support.ts'
import { answerReview, givenOrigin, goOn, propose, reportIssue, tidyUp } from './team-fork.test-support.ts'
import { Keys } from './team-keys.test-support.ts'
import { Network, networkErrors } from './team-network.test-support.ts'
import { review, reviewAgainAndMerge } from './team-review.test-support.ts'
import { Person, together } from './team.test-support.ts'

/** The state after the week: nothing is lost or doubled. */
const left: Readonly<Record<string, readonly string[]>> = {
  '/users/ada/repos': ['anvil', 'bellows'],
  '/users/ben/repos': ['anvil', 'bellows'],
  '/repos/ada/anvil/issues?state=all&type=issues': ['Sharpen the chisel', 'The hammer slips'],
  '/repos/ada/anvil/pulls?state=all': ['Hold the hammer'],
  '/repos/ada/anvil/issues/1/comments': ['And when it is hot.'],
  '/repos/ada/anvil/issues/2/comments': ['The rest comes by git.'],
  '/repos/ada/anvil/pulls/2/reviews': ['Nearly there.', 'Well held.'],
  '/repos/ada/anvil/milestones': ['First strike'],
  '/repos/ada/anvil/views': ['Plan'],
  '/repos/ada/anvil/releases': ['It holds.'],
  '/repos/ada/anvil/branches': ['main'],
  '/repos/ben/anvil/branches': ['main'],
  '/repos/ada/anvil/wiki/pages': ['Home'],
}

/** What each list contains. */
async function found(forge: Forge): Promise<unknown> {
  const nameOf = (row: Readonly<Record<string, string | undefined>>) => row['title'] ?? row['body'] ?? row['name']
  const lists = Object.keys(left).map(async (path) => {
    const { json } = await forge.as('ada').must('GET', path)
    return [path, json.map(nameOf).toSorted()] as const
  })
  return Object.fromEntries(await Promise.all(lists))
}

/** The commits on the default branch, the newest first. */
const commits = [
  "Merge pull request 'Hold the hammer' (#2) from ben/anvil:ben-patch-1 into main",
  'Grip firmly',
  'Apply suggestion to hammer.txt',
  'Add the tongs',
  'Hold the hammer',
  'change main',
  'change main',
  'Initial commit',
]

async function foundCommits(forge: Forge): Promise<unknown> {
  const { json } = await forge.as('ada').must('GET', '/repos/ada/anvil/commits')
  return json.map(({ commit }: { commit: { message: string } }) => commit.message.split('\n', 1)[0])
}

/** The comments on lines. */
const remarks = ['Why in words?', '```suggestion\nline 3, held\n```']

async function foundRemarks(forge: Forge): Promise<unknown> {
  const api = '/repos/ada/anvil/pulls/2/reviews'
  const reviews = (await forge.as('ada').must('GET', api)).json.map(({ id }: { id: number }) =>
    forge.as('ada').must('GET', `${api}/${id}/comments`),
  )
  const comments = (await Promise.all<{ json: readonly { body: string }[] }>(reviews)).flatMap(({ json }) => json)
  return comments.map(({ body }) => body.trim()).toSorted()
}

for (const isFailing of [false, true]) {
  const how = isFailing ? ', on a network that fails' : ''
  test(`pages: a change comes from a fork and is reviewed by keyboard alone${how}`, { skip }, async () => {
    await using forge = await startForge({ users: ['ada', 'ben'] })
    const expected = isFailing ? networkErrors : undefined
    await using ada = await Person.at(forge, 'ada', { expected })
    await using ben = await Person.at(forge, 'ben', { expected })
    const keys = await Keys.of(ada)
    const maintainer = { keys, network: await Network.of(ada, isFailing) }
    const contributor = { ben, network: await Network.of(ben, isFailing) }
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
      await plan(maintainer)
      await deliver(maintainer)
      await goFurther(maintainer, contributor)
    })
    assert.deepEqual(await found(forge), left)
    assert.deepEqual(await foundCommits(forge), commits)
    assert.deepEqual(await foundRemarks(forge), remarks)
  })
}
