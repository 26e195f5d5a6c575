import type { ComponentChildren } from 'preact'
import { numberText } from '../amounts.ts'
import type { Texts } from '../translation.ts'

/** Texts of the searches in code. */
export const codeSearchTexts: Texts['codeSearchTexts'] = {
  title: '搜索代码',
  label: '文件中的文本',
  search: '搜索',
  hint: (branch) => `查找 ${branch} 上文本文件中的行，不区分大小写。`,
  hintEverywhere: '在你可以读取的仓库的默认分支上查找文本文件中的行，不区分大小写。',
  none: (text) => `没有包含“${text}”的行`,
  found: (files) => `${numberText(files)} 个文件。`,
  foundEverywhere: (repositories, searched) =>
    `搜索的 ${numberText(searched)} 个仓库中有 ${numberText(repositories)} 个匹配。`,
  bounded: '搜索提前停止：并未查看或显示全部内容。',
  boundedEverywhere: (searched) =>
    `搜索范围有限：只查看了最近更新的 ${numberText(searched)} 个仓库，并显示每个仓库最前面的几行。`,
  qualifiers: (path: ComponentChildren, language: ComponentChildren, letterCase: ComponentChildren) => (
    <>
      {path}、{language} 和 {letterCase} 可将搜索限定为部分路径、语言和区分大小写。
    </>
  ),
  expressions: (expression) => <>两个斜杠之间是正则表达式，例如 {expression}。</>,
  unsearched: '未进行搜索',
  unspecific: '该表达式过于宽泛：每个匹配都必须包含三个连续的普通字符。',
  fault: (reason) => `无法读取该表达式：${reason}。`,
}
