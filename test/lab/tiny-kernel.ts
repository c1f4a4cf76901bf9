/** What the tiny kernel prints on the serial port when it starts. */
export const TINY_KERNEL_GREETING = 'tiny kernel is here';

/** Physical address of the 64-bit counter (little endian) that the tiny kernel adds to for ever. */
export const TINY_KERNEL_COUNTER = 0x1000;

const LOAD_ADDRESS = 0x10_00_00;
const HEADER_BYTES = 32;
const MULTIBOOT_MAGIC = 0x1bad_b002;
const ADDRESSES_IN_HEADER = 0x0001_0000;

/**
 * Returns a kernel of some ninety bytes that QEMU boots directly (Multiboot 1): it greets on the serial port and then
 * counts, so that a test sees from outside whether the guest runs and whether its memory went back in time.
 */
export function buildTinyKernel(): Buffer {
  const print = [
    [0xac], // 5: lodsb
    [0x84, 0xc0], // 6: test al, al
    [0x74, 0x07], // 8: jz 17
    [0x66, 0xba, 0xf8, 0x03], // 10: mov dx, 0x3f8 (first serial port)
    [0xee], // 14: out dx, al
    [0xeb, 0xf4], // 15: jmp 5
  ].flat();
  const count = [
    [0x83, 0x05, 0x00, 0x10, 0x00, 0x00, 0x01], // 17: add dword [0x1000], 1
    [0x83, 0x15, 0x04, 0x10, 0x00, 0x00, 0x00], // 24: adc dword [0x1004], 0
    [0xeb, 0xf0], // 31: jmp 17
  ].flat();
  const messageAddress = LOAD_ADDRESS + HEADER_BYTES + 5 + print.length + count.length;
  const loadMessage = Buffer.from([0xbe, 0, 0, 0, 0]); // 0: mov esi, message
  loadMessage.writeUInt32LE(messageAddress, 1);
  const message = Buffer.from(`${TINY_KERNEL_GREETING}\r\n\0`, 'ascii');
  const body = Buffer.concat([loadMessage, Buffer.from([...print, ...count]), message]);
  return Buffer.concat([header(HEADER_BYTES + body.length), body]);
}

function header(totalBytes: number): Buffer {
  const end = LOAD_ADDRESS + totalBytes;
  const words = [
    MULTIBOOT_MAGIC,
    ADDRESSES_IN_HEADER,
    (0x1_0000_0000 - MULTIBOOT_MAGIC - ADDRESSES_IN_HEADER) >>> 0, // the three add up to zero
    LOAD_ADDRESS, // of the header itself
    LOAD_ADDRESS,
    end,
    end,
    LOAD_ADDRESS + HEADER_BYTES, // entry
  ];
  const buffer = Buffer.alloc(HEADER_BYTES);
  words.forEach((word, index) => buffer.writeUInt32LE(word, index * 4));
  return buffer;
}
