import type { Texts } from '../translation.ts'

/** Labels of what is stored, by the subject of a quota. */
const kinds = {
  'size:all': '全部',
  'size:repos:all': '所有仓库',
  'size:repos:public': '公开仓库',
  'size:repos:private': '私有仓库',
  'size:git:all': 'Git 数据（含 LFS）',
  'size:git:lfs': 'Git LFS',
  'size:assets:all': '所有文件和软件包',
  'size:assets:attachments:all': '所有附件',
  'size:assets:attachments:issues': '议题的附件',
  'size:assets:attachments:releases': '发行版的文件',
  'size:assets:artifacts': '工作流的产物',
  'size:assets:packages:all': '软件包',
  'size:wiki': 'Wiki',
  'size:assets:wiki': 'Wiki（别名）',
}

/** Texts of the pages of storage. */
export const storageTexts: Texts['storageTexts'] = {
  kinds,
  title: '存储',
  total: (size) => `你的账号存储了 ${size}。`,
  totalOf: (org, size) => `${org} 存储了 ${size}。`,
  limits: '上限',
  noLimits: '这里没有设置上限，但站点的上限可能仍然生效。',
  unlimited: '不限',
  ofLimit: (used, limit) => `${used} / ${limit}`,
}
