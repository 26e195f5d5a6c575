/** Dimensions of one text: each shape stands wherever people write texts, as large as each place accepts. */
import { base64, many } from './world.mjs'

const repeated = (text) => (bytes) => text.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(text))))

/** Texts of about `bytes` by name. */
const shapes = {
  words: repeated('word and '),
  lines: repeated('a\n\n'),
  'table rows': (bytes) => `|a|b|\n|-|-|\n${repeated('|a|b|\n')(bytes)}`,
  fences: repeated('```properties\na=1\n```\n'),
  'slow fences': (bytes) => `\`\`\`properties\n${repeated('a\\')(bytes)}\n\`\`\`\n`,
  headings: repeated('# a\n'),
  references: repeated('#1 '),
  mentions: repeated('@root '),
  links: repeated('https://a.example/b '),
  elements: repeated('<b id="a">a</b> '),
  quotes: (bytes) => repeated('> ')(Math.min(bytes, 20_000)).repeat(Math.max(1, Math.floor(bytes / 20_000))),
  footnotes: (bytes) => many(Math.floor(bytes / 20), (at) => `[^${at}] \n\n[^${at}]: a\n\n`).join(''),
  emphasis: repeated('*a **b '),
  formulas: repeated('$a$ $`b`$ '),
  emoji: repeated(':smile: '),
  tasks: repeated('- [ ] a\n'),
}

async function fillTexts(world, text, size) {
  const { must, largest, tryTo, repo } = world
  const issue = await largest(size, (bytes) =>
    tryTo('POST', `${repo}/issues`, { title: text(300).slice(0, 250), body: text(bytes) }),
  )
  await largest(size, (bytes) => tryTo('POST', `${repo}/issues/${issue.json.number}/comments`, { body: text(bytes) }))
  await largest(size, (bytes) =>
    tryTo('POST', `${repo}/milestones`, { title: text(200).slice(0, 200), description: text(bytes) }),
  )
  await largest(size, (bytes) =>
    tryTo('POST', `${repo}/labels`, { name: text(40).slice(0, 40), color: '#ff0000', description: text(bytes) }),
  )
  await largest(size, (bytes) =>
    tryTo('POST', `${repo}/releases`, { tag_name: 'v1', name: text(200).slice(0, 200), body: text(bytes) }),
  )
  await largest(size, (bytes) =>
    tryTo('POST', `${repo}/wiki/new`, { title: 'Home', content_base64: base64(text(bytes)), message: text(2000) }),
  )
  await largest(2048, (bytes) => tryTo('PATCH', repo, { description: text(bytes).slice(0, bytes) }))
  await largest(255, (bytes) => tryTo('PATCH', '/user/settings', { description: text(bytes).slice(0, bytes) }))
  const { content } = await must('POST', `${repo}/contents/big.md`, {
    content: base64(text(size)),
    message: text(5000),
  })
  await must('PUT', `${repo}/contents/README.md`, {
    content: base64(text(size)),
    message: 'a',
    sha: (await must('GET', `${repo}/contents/README.md`)).sha,
  })
  await must('POST', `${repo}/contents/more.md`, { content: base64('a'), new_branch: 'topic' })
  const pull = await largest(size, (bytes) =>
    tryTo('POST', `${repo}/pulls`, { head: 'topic', base: 'main', title: 'a', body: text(bytes) }),
  )
  await largest(size, (bytes) =>
    tryTo('POST', `${repo}/pulls/${pull.json.number}/reviews`, {
      event: 'COMMENT',
      body: text(bytes),
      comments: [{ path: 'more.md', new_position: 1, body: text(bytes) }],
    }),
  )
  await largest(size, (bytes) => tryTo('POST', `${repo}/git/notes/main`, { message: text(bytes) }))
  await tryTo('POST', `${repo}/statuses/${content?.sha ?? 'main'}`, {
    state: 'failure',
    context: text(200),
    description: text(size),
  })
  await tryTo('POST', '/markup', { mode: 'gfm', text: text(size), context: `${world.login}/r` })
  await tryTo('POST', '/markdown', { mode: 'comment', text: text(size) })
  await world.submit(`/${world.login}/r/issues/${issue.json.number}`, '/comments', {
    content: text(60_000),
    body: text(60_000),
  })
  return {
    index: [issue.json.number, pull.json.number],
    'contents.filepath': ['big.md'],
    'src.filepath': ['branch/main/big.md', 'branch/topic'],
    pageName: ['Home'],
    'compare.filepath': ['main...topic'],
  }
}

export const textDimensions = Object.entries(shapes).map(([name, text]) => ({
  name: `text: ${name}`,
  limit: 1_000_000,
  fill: (world, size) => fillTexts(world, text, size),
}))
