import { numberText } from '../amounts.ts'
import type { Texts } from '../translation.ts'

/** Texts of the releases. */
export const releaseTexts: Texts['releaseTexts'] = {
  title: (repository) => `${repository} 的发行版`,
  heading: '发行版',
  tags: '标签',
  new: '新建发行版',
  search: '搜索发行版',
  empty: '暂无发行版',
  emptyLead: '发行版用标签命名代码的一个版本，并提供说明和可下载的文件。',
  emptyCommands: 'git tag v1.0.0\ngit push origin v1.0.0',
  emptyCommandsLabel: '在终端中创建标签',
  none: '没有匹配的发行版。',
  latest: '最新',
  draft: '草稿',
  prerelease: '预发行版',
  published: (person, moment) => (
    <>
      {person} 发布于 {moment}
    </>
  ),
  drafted: (person, moment) => (
    <>
      {person} 起草于 {moment}
    </>
  ),
  assets: (count) => `${numberText(count)} 个文件`,
  downloads: (count) => `${numberText(count)} 次下载`,
  external: '存储在别处',
  sourceZip: '源代码（zip）',
  sourceTar: '源代码（tar.gz）',
  compare: '比较',
  notes: {
    pulls: '更改',
    commits: '提交',
    pull: ({ title, number, poster }) => `- ${title}（#${number}），作者 @${poster}`,
    commit: ({ subject, shortId }) => `- ${subject}（${shortId}）`,
    all: (address, range) => `全部更改：[${range}](${address})`,
  },
  form: {
    newTitle: '新建发行版',
    editTitle: (tag) => `编辑发行版 ${tag}`,
    tag: '标签',
    tagHint: '已有的标签，或新标签的名称，例如 v1.2.0。',
    target: '新标签的目标',
    targetHint: '分支或提交。已有的标签保持不变。',
    name: '标题',
    body: '说明',
    attachHint: '粘贴、拖放或选择文件，它们会成为发行版的文件。',
    prerelease: '预发行版',
    prereleaseHint: '尚不适合生产环境，也绝不会成为最新发行版。',
    hideArchives: '隐藏源代码压缩包',
    publish: '发布发行版',
    saveDraft: '保存为草稿',
    save: '保存更改',
    unpublish: '转为草稿',
    generate: '生成说明',
    generateLead: '根据自最新发行版以来合并的拉取请求生成，并添加到说明中。',
    published: '发行版已发布。',
    drafted: '草稿已保存。只有可以编写发行版的用户能看到它。',
    saved: '发行版已保存。',
    emptyRepository: '仓库为空。请先推送一个提交。',
  },
  edit: '编辑',
  delete: '删除发行版',
  deleteConfirm: (tag) => `要删除发行版 ${tag} 吗？其标签会保留。`,
  deleted: '发行版已删除，其标签保留。',
  files: {
    heading: '文件',
    upload: '附加文件',
    file: '文件',
    link: '别处文件的地址',
    linkHint: '代替上传文件。',
    name: '名称',
    nameHint: '留空则使用文件的名称。',
    submit: '附加',
    attached: (name) => `${name} 已附加。`,
    delete: (name) => `删除 ${name}`,
    deleteConfirm: (name) => `要删除文件 ${name} 吗？`,
    deleted: (name) => `${name} 已删除。`,
    several: '可以选择多个。',
    chooseAgain: '浏览器不会记住所选的文件，请重新选择。',
    tooLarge: (size) => `每个文件不能超过 ${size}`,
    off: '本站已停用附件。',
  },
}
