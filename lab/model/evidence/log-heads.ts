/** What klog writes before a message: level, time (the first group), thread, and the line of its source. */
export const KLOG_HEAD = String.raw`[IWEF](\d{4} \d\d:\d\d:\d\d\.\d+) +\d+ [\w.-]+:\d+\] `;

/** What logrus writes before a message. Its time is the first group, in quotes, or the second; CRI-O has a space in it. */
export const LOGRUS_HEAD = String.raw`time=(?:"([^"]+)"|(\S+)) level=\w+ `;
