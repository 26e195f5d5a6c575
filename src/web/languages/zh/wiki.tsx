import { numberText } from '../amounts.ts'
import type { Texts } from '../translation.ts'

/** Texts of the wiki. */
export const wikiTexts: Texts['wikiTexts'] = {
  title: (page, repository) => `${page} · ${repository} 的 Wiki`,
  wiki: 'Wiki',
  new: '新建页面',
  edit: '编辑',
  history: '历史',
  pages: '页面',
  empty: '此 Wiki 还没有页面',
  emptyLead: 'Wiki 收录项目成员都会读的笔记和指南。每个页面都是 git 仓库中的一个 Markdown 文件。',
  first: '编写第一个页面',
  missing: (title) => `没有页面“${title}”`,
  create: '创建此页面',
  changed: (person, moment) => (
    <>
      {person} 修改于 {moment}
    </>
  ),
  revisions: (count) => `${numberText(count)} 个版本`,
  cloneAddress: '克隆此 Wiki',
  more: '侧边栏和页脚：名为 _Sidebar 和 _Footer 的页面会显示在每个页面上。',
  list: {
    title: 'Wiki 的页面',
  },
  commitId: '提交 ID',
  revisionsOf: (title) => `${title} 的历史`,
  back: '返回页面',
  form: {
    newTitle: '新建页面',
    editTitle: (title) => `编辑 ${title}`,
    title: '标题',
    content: '正文',
    message: '描述此更改',
    attachHint: '粘贴、拖放或选择文件，它们会立即存储到 Wiki 中。',
    noFile: '请选择文件',
    save: '保存页面',
    created: '页面已创建。',
    saved: '页面已保存。',
    current: '当前的页面',
    currentLead: '有其他人修改了此页面。你的文本在下方；再次保存会替换对方的内容。',
    delete: '删除页面',
    deleteConfirm: (title) => `要删除页面“${title}”吗？`,
    deleted: (title) => `页面“${title}”已删除。`,
    home: '首页',
  },
}
