import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadFormulas } from './formula.ts'
import { linkBases } from './links.ts'
import { renderMarkdown } from './markdown.ts'
import { defaultMarkupSettings } from './markup-settings.ts'
import { textRuns } from './text-runs.ts'

const rootUrl = 'https://forge.example/'
const bases = linkBases({ rootUrl, context: 'alice/home', mode: 'comment' })
const options = { mode: 'comment', rootUrl, repository: 'alice/home', bases, isForPage: true } as const
const render = async (text: string, more: object = {}): Promise<string> =>
  (await renderMarkdown(text, { ...options, ...more })).html.trim()
const formula = async (tex: string, isBlock = false) => (await loadFormulas()).render(tex, isBlock)

test('formulas of pages are MathML, in lines, blocks, fences, headings, tables, lists and links', async () => {
  const square = '<math><msup><mi>x</mi><mn class="tml-sml-pad">2</mn></msup></math>'
  assert.equal(await render('a $x^2$ b'), `<p dir="auto">a ${square} b</p>`)
  assert.equal(await render('a $`x^2`$ b'), `<p dir="auto">a ${square} b</p>`)
  const block = `<span class="formula">${square.replace('<math>', '<math display="block">')}</span>`
  assert.equal(await render('$$x^2$$'), `<p dir="auto">${block}</p>`)
  assert.equal(await render('$$\nx^2\n$$'), block)
  assert.equal(await render('```math\nx^2\n```'), block)
  for (const text of [
    '# The $x^2$',
    '| a |\n|---|\n| $x^2$ |',
    '- $x^2$',
    '[the $x^2$](https://example.com)',
    '> $x^2$',
    'one[^1]\n\n[^1]: $x^2$',
    '**$x^2$**',
  ]) {
    assert.ok((await render(text)).includes(square), text)
  }
  assert.match(await render('# The $x^2$'), /id="user-content-the-x-2"/)
})

test('money, escaped dollars and code are no formulas', async () => {
  for (const text of [
    '$5 and $6',
    'from $5 to $10.',
    'a $ b $ c',
    '\\$x^2\\$',
    '\\$x^2$',
    '`$x^2$`',
    '```\n$x^2$\n```',
    '    $x^2$',
    '<code>$x^2$</code>',
    '<kbd>a $x$ b</kbd>',
    '<pre>\n$x^2$\n</pre>',
    'US$5/CA$6',
  ]) {
    const html = await render(text)
    assert.ok(!html.includes('<math'), text)
    assert.ok(html.includes('$'), text)
  }
  assert.doesNotMatch(
    await render('$x^2$', { settings: { ...defaultMarkupSettings, math: false } }),
    /<math|language-math/,
  )
})

test('clients, mails and other servers get the source of formulas', async () => {
  for (const more of [{ isForPage: false }, { isForPage: undefined, isForApi: true }]) {
    const html = await render('a $x^2$\n\n$$\ny\n$$\n\n```math\nz\n```', more)
    assert.doesNotMatch(html, /<math|data-formula/)
    assert.match(html, /<code class="language-math is-loading">x\^2<\/code>/)
  }
})

test('nothing in a formula is a reference, for the page and for notifications alike', async () => {
  const text = 'a $@bob #1$ $`@carol`$ $$@dan$$\n\n$$\n@eve closes #2\n$$\n\n```math\n@frank\n```\n'
  const { html, candidates } = await renderMarkdown(text, options)
  assert.deepEqual(candidates, { mentions: [], commits: [] })
  assert.doesNotMatch(html, /<a /)
  assert.doesNotMatch(textRuns(text).text, /[@#]/)
})

test('a formula that fails shows its source and why, and the others of the text are shown', async () => {
  const html = await render('$\\frac{1$ and $y$ and $\\unknown{<b>"x"}$')
  assert.match(
    html,
    /<code class="language-math" title="This formula is not shown: [^"]+">\\frac\{1<\/code> and <math>/,
  )
  assert.match(html, /title="[^"<]+">\\unknown\{&lt;b&gt;&#34;x&#34;\}<\/code>/)
  assert.match(await render('$$\n\\frac{\n1\n$$'), /^<pre class="code-block"><code class="language-math" title=/)
})

/** TeX that names addresses, HTML, classes, ids, styles and scripts. */
const hostile = [
  '\\href{javascript:alert(1)}{x}',
  '\\url{javascript:alert(1)}',
  '\\includegraphics{https://example.com/x.png}',
  '\\class{primary}{x}',
  '\\id{top}{x}',
  '\\style{position:fixed}{x}',
  '\\data{x=y}{x}',
  '\\htmlStyle{position:fixed}{x}',
  '\\text{<img src=x onerror=alert(1)>}',
  '\\text{</math><script>alert(1)</script>}',
  '\\label{user-content-x}x',
  '\\ref{x"onclick="alert(1)}',
  '\\eqref{x}',
  '\\toggle{a}{b}\\endtoggle',
  '\\color{red;position:fixed}{x}',
  '\\textcolor{"onclick=alert(1)}{x}',
  '\\colorbox{url(https://example.com)}{x}',
  '\\raisebox{-500em}{x}',
  '\\kern-500em x',
  '\\rule{9999em}{9999em}',
  '\\mathchoice{a}{b}{c}{d}',
  '\\begin{equation}x\\end{equation}',
  '\\tag{"><img src=x>}x',
  '\\verb|<b>|',
  '\\def\\x{\\x\\x}\\x',
  '\\cancelto{<b>}{x}',
  '\\Huge{\\Huge{\\Huge{\\Huge{\\Huge{\\Huge{x}}}}}}',
]

test('hostile formulas become only the allowed elements and attributes of MathML', async () => {
  for (const tex of hostile) {
    for (const isBlock of [true, false]) {
      const result = await formula(tex, isBlock)
      if ('problem' in result) continue
      for (const [tag, name, attributes = ''] of result.mathml.matchAll(/<\/?([^\s>]*)([^>]*)>/g)) {
        assert.match(name ?? '', /^m[a-z]+$/, `${tex}: ${tag}`)
        const rest = attributes.replace(
          / (?:class|display|displaystyle|scriptlevel|width|height|depth|voffset|lspace|rspace|mathsize|mathcolor|mathbackground|mathvariant|notation|fence|form|stretchy|symmetric|accent|minsize|maxsize|largeop|movablelimits|linethickness)="[\w #.%-]*"/g,
          '',
        )
        assert.equal(rest, '', `${tex}: ${tag}`)
      }
      const sizes = [...result.mathml.matchAll(/mathsize="([\d.]+)em"/g)].reduce(
        (all, [, size]) => all * Number(size),
        1,
      )
      assert.ok(sizes <= 5, tex)
    }
    assert.doesNotMatch(await render(`a $${tex}$ b`), /<(?:img|script|a|b)[ >]|onclick=(?!alert)| style=| id=/, tex)
  }
})

test('people write no MathML and no places of formulas themselves', async () => {
  const html = await render(
    'a $x$ <math><mtext><img src=x onerror=alert(1)></mtext></math> <code class="language-math" data-formula="0">mine</code>',
  )
  assert.equal(html.match(/<math/g)?.length, 1)
  assert.match(html, />mine<\/code>/)
  assert.doesNotMatch(html, /data-formula|mtext|onerror/)
})

test('formulas that would grow without bound show their source', async () => {
  for (const [name, tex] of Object.entries({
    'macro of many tokens': `\\def\\a{${'x'.repeat(900)}}${'\\a'.repeat(40)}`,
    'doubling macro': '\\def\\a#1{#1#1#1#1#1#1#1#1}\\a{\\a{\\a{\\a{\\a{x}}}}}',
    'endless macro': '\\def\\a{\\a\\a}\\a',
    'other definition': `\\newcommand{\\a}{${'x'.repeat(2000)}}\\a`,
    'doubling at once': `\\def\\a{xx}${'\\edef\\a{\\a\\a}'.repeat(30)}\\a`,
    'deep groups': `${'{'.repeat(4000)}x${'}'.repeat(4000)}`,
    'deep fractions': `${'\\frac{'.repeat(400)}x${'}{y}'.repeat(400)}`,
    'deep scripts': `${'x^{'.repeat(300)}x${'}'.repeat(300)}`,
    'deep environments': '\\begin{matrix}'.repeat(300) + '\\end{matrix}'.repeat(300),
    'long formula': 'x+'.repeat(50_000),
  })) {
    const result = await formula(tex)
    assert.ok('problem' in result, name)
    assert.match(result.problem, /^This formula is not shown: \S/, name)
  }
  // Macros of one formula do not reach another.
  const formulas = await loadFormulas()
  formulas.render('\\gdef\\mine{x}\\global\\let\\frac\\sqrt', false)
  assert.ok('problem' in formulas.render('\\mine', false))
  assert.ok('mathml' in formulas.render('\\frac12', false))
})

test('the formulas of a text have bounds together, and the rest shows its source', async () => {
  const html = await render(`$${'x+'.repeat(490)}1$ and\n`.repeat(400))
  assert.ok(html.length < 2 * 1024 * 1024)
  assert.match(html, /<math>/)
  assert.match(html, /title="This formula is not shown: [^"]*(?:too many formulas|too large)"/)
})

test('usual formulas keep their form without styles, which the policy of pages forbids', async () => {
  const shown = async (tex: string): Promise<string> => {
    const result = await formula(tex, true)
    assert.ok('mathml' in result, `${tex}: ${JSON.stringify(result)}`)
    assert.doesNotMatch(result.mathml, / style=/)
    return result.mathml
  }
  assert.match(await shown('\\color{red}{x}'), /<mi mathcolor="#ff0000">/)
  assert.match(
    await shown('\\begin{aligned}a&=b\\\\c&=d\\end{aligned}'),
    /class="tml-right tml-flush-left tml-flush-right"/,
  )
  assert.match(await shown('\\begin{array}{c|c}a&b\\\\\\hline c&d\\end{array}'), /tml-line-right tml-line-bottom/)
  assert.match(await shown('\\boxed{x}'), /class="tml-fbox"/)
  assert.match(await shown('\\tag{1}x'), /tml-wide[\s\S]*tml-half[\s\S]*tml-tag/)
  for (const tex of [
    '\\int_0^\\infty e^{-x^2}\\,dx = \\frac{\\sqrt\\pi}{2}',
    '\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}',
    '\\begin{cases}1&x>0\\\\0\\end{cases}',
    '\\sum_{n=1}^{\\infty}\\frac1{n^2}',
    '\\left(\\frac12\\right)\\vec{x}\\hat{y}\\overline{AB}\\underbrace{x}_y',
    '\\mathbb{R}\\mathcal{L}\\mathrm{d}\\operatorname{arg\\,max}',
    '\\ce{H2O ->[heat] H2 + O2}',
    '\\xrightarrow[a]{b}\\cancel{x}\\binom nk\\pmod 3',
    '\\sideset{_1}{^2}\\prod',
    '\\newcommand{\\area}{\\mathbb{A}}\\area^n',
  ]) {
    await shown(tex)
  }
})
