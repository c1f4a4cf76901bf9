/**
 * The smallest proof that an accelerator runs guests: a boot sector that switches on paging and long mode, counts
 * to a million in an SSE register, and ends QEMU through the isa-debug-exit device. A module that can only run
 * paravirtual guests, or that cannot set a vCPU up, does not get that far. Assembled from this source (GNU as,
 * linked at 0x7c00):
 *
 *     .code16
 *       ljmp $0,$1f
 *     1: cli; xorw %ax,%ax; movw %ax,%ds; movw %ax,%es; movw %ax,%ss; movw $0x7c00,%sp; cld
 *       movw $0x1000,%di; xorl %eax,%eax; movl $0xc00,%ecx; rep stosl      # clear three page tables
 *       movl $0x2003,0x1000; movl $0x3003,0x2000; movl $0x83,0x3000        # the first 2 MiB, one to one
 *       lgdtl gdtr
 *       movl $0x620,%eax; movl %eax,%cr4                                    # PAE, OSFXSR, OSXMMEXCPT
 *       movl $0x1000,%eax; movl %eax,%cr3
 *       movl $0xc0000080,%ecx; rdmsr; orl $0x100,%eax; wrmsr                # EFER.LME
 *       movl $0x80000011,%eax; movl %eax,%cr0                               # PG, PE
 *       ljmpl $8,$2f
 *     .code64
 *     2: movl $1000000,%ecx; xorl %eax,%eax; pxor %xmm0,%xmm0; movl $1,%edx; movd %edx,%xmm1
 *     3: paddd %xmm1,%xmm0; decl %ecx; jnz 3b
 *       movd %xmm0,%eax; cmpl $1000000,%eax; jne 4f
 *       movb $0x2a,%al; movw $0xf4,%dx; outb %al,%dx
 *     4: hlt; jmp 4b
 *     .balign 8
 *     gdt: .quad 0, 0x00209a0000000000
 *     gdtr: .word 15; .long gdt
 */
const CODE_HEX =
  'ea057c0000fa31c08ed88ec08ed0bc007cfcbf00106631c066b9000c0000' +
  '66f3ab66c70600100320000066c70600200330000066c706003083000000' +
  '660f0116b87c66b8200600000f22e066b8001000000f22d866b9800000c0' +
  '0f32660d000100000f3066b8110000800f22c066ea757c00000800b94042' +
  '0f0031c0660fefc0ba01000000660f6eca660ffec1ffc975f8660f7ec03d' +
  '40420f007507b02a66baf400eef4ebfd6690000000000000000000000000' +
  '009a20000f00a87c0000';

/** Exit status of QEMU when the payload got through: isa-debug-exit turns the written 0x2a into (0x2a << 1) | 1. */
export const PROOF_STATUS = (0x2a << 1) | 1;

/** Returns the 512 bytes of the boot sector. */
export function buildBootSector(): Buffer {
  const sector = Buffer.alloc(512);
  Buffer.from(CODE_HEX, 'hex').copy(sector);
  sector.writeUInt16LE(0xaa55, 510);
  return sector;
}
