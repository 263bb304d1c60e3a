// SPDX-License-Identifier: Apache-2.0 OR MIT
/*
 * tables rom|metrics|sos|mec|rlc|ta|discovery: writes one with AMD's own structures, to standard output.
 * tables record < FILE: reads a gpu_metrics record with them, and prints `NAME VALUE` lines.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef uint32_t __le32;
#define __counted_by(n)
#define DECLARE_FLEX_ARRAY(type, name) struct { struct {} empty_##name; type name[]; }

/* What the headers use of the kernel's. */
#define __printf(a, b)
struct mutex { int unused; };
struct firmware;
struct amdgpu_device;

#include "amdgpu_ucode.h"
#include "atomfirmware.h"
#include "discovery.h"
#include "kgd_pp_interface.h"
#include "smu13_driver_if_aldebaran.h"
#include "smu_v13_0_pptable.h"

static uint8_t out[0x4000];

/* A structure at an offset of what is written. */
#define AT(type, name, offset) type *name = (type *)(out + (offset))

static void data_table(struct atom_common_table_header *header, size_t size, int format, int content)
{
	header->structuresize = size;
	header->format_revision = format;
	header->content_revision = content;
}

static size_t rom(void)
{
	AT(struct atom_rom_header_v2_2, header, 0x200);
	AT(struct atom_master_data_table_v2_1, master, 0x280);
	AT(struct atom_firmware_info_v3_4, firmware, 0x300);
	AT(struct atom_gfx_info_v2_4, gfx, 0x400);
	AT(struct atom_smu_info_v3_6, smu, 0x500);
	AT(struct atom_umc_info_v3_3, umc, 0x600);
	AT(struct atom_vram_info_header_v2_6, vram, 0x700);
	AT(struct atom_smc_dpm_info_v4_10, board, 0xc00);
	AT(struct smu_13_0_powerplay_table, power, 0x1000);
	struct atom_master_list_of_data_tables_v2_1 *list = &master->listOfdatatables;
	PPTable_t *pptable = &power->smc_pptable;

	out[0] = 0x55;
	out[1] = 0xaa;
	out[2] = sizeof(out) / 512;
	memcpy(out + 0x30, " 761295520", 10);
	out[0x48] = 0x00;
	out[0x49] = 0x02;
	out[OFFSET_TO_GET_ATOMBIOS_NUMBER_OF_STRINGS] = 4;
	out[OFFSET_TO_GET_ATOMBIOS_STRING_START] = 0x00;
	out[OFFSET_TO_GET_ATOMBIOS_STRING_START + 1] = 0x01;
	memcpy(out + OFFSET_TO_VBIOS_DATE, "12/31/26 23:59", 14);
	memcpy(out + 0x100, "113-TEST-001\0CHIP\0BUS\0MEMORY\0\r\nA board ", 42);
	data_table(&header->table_header, sizeof(*header), 2, 2);
	memcpy(header->atom_bios_string, "ATOM", 4);
	header->masterdatatable_offset = 0x280;
	data_table(&master->table_header, sizeof(*master), 2, 1);
	list->firmwareinfo = 0x300;
	list->gfx_info = 0x400;
	list->smu_info = 0x500;
	list->umc_info = 0x600;
	list->vram_info = 0x700;
	list->smc_dpm_info = 0xc00;
	list->powerplayinfo = 0x1000;

	data_table(&firmware->table_header, sizeof(*firmware), 3, 4);
	firmware->firmware_revision = 101;
	firmware->bootup_sclk_in10khz = 102;
	firmware->bootup_mclk_in10khz = 103;
	firmware->firmware_capability = ATOM_FIRMWARE_CAP_SRAM_ECC;
	firmware->bios_scratch_reg_startaddr = 105;
	firmware->fw_reserved_size_in_kb = 106;

	data_table(&gfx->table_header, sizeof(*gfx), 2, 4);
	gfx->max_shader_engines = 8;
	gfx->max_cu_per_sh = 16;
	gfx->max_sh_per_se = 2;
	gfx->max_backends_per_se = 3;
	gfx->max_texture_channel_caches = 4;
	gfx->gc_num_gprs = 205;
	gfx->gc_wave_size = 64;
	gfx->gc_max_waves_per_simd = 10;
	gfx->gc_max_scratch_slots_per_cu = 33;
	gfx->gc_lds_size = 66;

	data_table(&smu->table_header, sizeof(*smu), 3, 6);
	smu->core_refclk_10khz = 301;
	smu->bootup_socclk_10khz = 302;
	smu->bootup_fclk_10khz = 303;

	data_table(&umc->table_header, sizeof(*umc), 3, 3);
	umc->umc_config1 = UMC_CONFIG1__ENABLE_ECC_CAPABLE;

	data_table(&vram->table_header, sizeof(*vram), 2, 6);
	vram->vram_module_num = 2;
	vram->vram_module[0].vram_module_size = sizeof(vram->vram_module[0]);
	vram->vram_module[1].memory_type = ATOM_DGPU_VRAM_TYPE_HBM2E;
	vram->vram_module[1].channel_num = 32;
	vram->vram_module[1].channel_width = 7;
	vram->vram_module[1].vender_rev_id = 0x16;

	data_table(&board->table_header, sizeof(*board), 4, 10);
	board->GfxMaxCurrent = 0x1234;
	board->reserved[15] = 0x12345678;

	data_table(&power->header, sizeof(*power), 15, 0);
	power->software_shutdown_temp = 118;
	pptable->FeaturesToRun[0] = 401;
	pptable->FeaturesToRun[1] = 402;
	pptable->PptLimit = 403;
	pptable->ThotspotLimit = 104;
	pptable->TmemLimit = 95;
	pptable->GfxclkFmin = 406;
	pptable->GfxclkFmax = 407;
	return sizeof(out);
}

static size_t metrics(void)
{
	AT(SmuMetrics_t, m, 0);

	m->CurrClock[PPCLK_GFXCLK] = 1;
	m->CurrClock[PPCLK_VCLK] = 2;
	m->CurrClock[PPCLK_DCLK] = 3;
	m->CurrClock[PPCLK_SOCCLK] = 4;
	m->CurrClock[PPCLK_UCLK] = 5;
	m->CurrClock[PPCLK_FCLK] = 6;
	m->CurrClock[PPCLK_LCLK] = 7;
	m->AverageGfxclkFrequency = 8;
	m->AverageSocclkFrequency = 9;
	m->AverageUclkFrequency = 10;
	m->AverageGfxActivity = 11;
	m->AverageUclkActivity = 12;
	m->AverageSocketPower = 13;
	m->TemperatureEdge = 14;
	m->TemperatureHotspot = 15;
	m->TemperatureHBM = 16;
	m->TemperatureVrGfx = 17;
	m->TemperatureVrSoc = 18;
	m->TemperatureVrMem = 19;
	m->ThrottlerStatus = 1 << THROTTLER_APCC_BIT | 1 << THROTTLER_TEMP_VR_MEM_BIT;
	m->PublicSerialNumLower32 = 21;
	m->PublicSerialNumUpper32 = 22;
	for (int i = 0; i < 4; i++)
		m->TemperatureAllHBM[i] = 23 + i;
	m->GfxBusyAcc = 27;
	m->DramBusyAcc = 28;
	m->EnergyAcc64bitLow = 29;
	m->EnergyAcc64bitHigh = 30;
	m->TimeStampLow = 31;
	m->TimeStampHigh = 32;
	return sizeof(*m);
}

#define PRINT(field) printf("%s %llu\n", #field, (unsigned long long)r.field)

static int record(void)
{
	struct gpu_metrics_v1_3 r;

	if (fread(&r, sizeof(r), 1, stdin) != 1 || getchar() != EOF)
		return 1;
	PRINT(common_header.structure_size);
	PRINT(common_header.format_revision);
	PRINT(common_header.content_revision);
	PRINT(temperature_edge);
	PRINT(temperature_hotspot);
	PRINT(temperature_mem);
	PRINT(temperature_vrgfx);
	PRINT(temperature_vrsoc);
	PRINT(temperature_vrmem);
	PRINT(average_gfx_activity);
	PRINT(average_umc_activity);
	PRINT(average_mm_activity);
	PRINT(average_socket_power);
	PRINT(energy_accumulator);
	PRINT(system_clock_counter);
	PRINT(average_gfxclk_frequency);
	PRINT(average_socclk_frequency);
	PRINT(average_uclk_frequency);
	PRINT(average_vclk0_frequency);
	PRINT(average_dclk0_frequency);
	PRINT(average_vclk1_frequency);
	PRINT(current_gfxclk);
	PRINT(current_socclk);
	PRINT(current_uclk);
	PRINT(current_vclk0);
	PRINT(current_dclk0);
	PRINT(current_dclk1);
	PRINT(throttle_status);
	PRINT(current_fan_speed);
	PRINT(pcie_link_width);
	PRINT(pcie_link_speed);
	PRINT(gfx_activity_acc);
	PRINT(mem_activity_acc);
	PRINT(temperature_hbm[0]);
	PRINT(temperature_hbm[3]);
	PRINT(firmware_timestamp);
	PRINT(voltage_gfx);
	PRINT(indep_throttle_status);
	return 0;
}

/* The header that all firmware files have; images are at 0x200, the first of 0x100 bytes, `version` is that of it. */
static size_t common(struct common_firmware_header *header, size_t size, int major, int minor)
{
	for (size_t i = 0x200; i < 0x1000; i++)
		out[i] = i >> 4;
	header->size_bytes = 0x1000;
	header->header_size_bytes = size;
	header->header_version_major = major;
	header->header_version_minor = minor;
	header->ucode_version = 7;
	header->ucode_size_bytes = 0x100;
	header->ucode_array_offset_bytes = 0x200;
	return 0x1000;
}

static void legacy(struct psp_fw_legacy_bin_desc *entry, int version, int offset, int size)
{
	entry->fw_version = version;
	entry->offset_bytes = offset;
	entry->size_bytes = size;
}

static size_t sos(void)
{
	AT(struct psp_firmware_header_v1_3, h, 0);

	legacy(&h->v1_1.v1_0.sos, 11, 0x100, 0x20);
	legacy(&h->v1_1.toc, 12, 0x200, 0x30);
	legacy(&h->v1_1.kdb, 13, 0x300, 0x40);
	legacy(&h->spl, 14, 0x400, 0x50);
	legacy(&h->rl, 15, 0x500, 0x60);
	legacy(&h->sys_drv_aux, 16, 0x600, 0x70);
	legacy(&h->sos_aux, 17, 0x700, 0x80);
	return common(&h->v1_1.v1_0.header, sizeof(*h), 1, 3);
}

static size_t mec(void)
{
	AT(struct gfx_firmware_header_v1_0, h, 0);

	h->ucode_feature_version = 21;
	h->jt_offset = 0x30;
	h->jt_size = 0x10;
	return common(&h->header, sizeof(*h), 1, 0);
}

static size_t rlc(void)
{
	AT(struct rlc_firmware_header_v2_1, h, 0);

	h->v2_0.ucode_feature_version = 31;
	h->save_restore_list_cntl_ucode_ver = 32;
	h->save_restore_list_cntl_size_bytes = 0x20;
	h->save_restore_list_cntl_offset_bytes = 0x400;
	h->save_restore_list_gpm_ucode_ver = 33;
	h->save_restore_list_gpm_size_bytes = 0x30;
	h->save_restore_list_gpm_offset_bytes = 0x500;
	h->save_restore_list_srm_ucode_ver = 34;
	h->save_restore_list_srm_size_bytes = 0x40;
	h->save_restore_list_srm_offset_bytes = 0x600;
	return common(&h->v2_0.header, sizeof(*h), 2, 1);
}

static size_t ta(void)
{
	AT(struct ta_firmware_header_v2_0, h, 0);
	struct psp_fw_bin_desc entries[] = {
		{ TA_FW_TYPE_PSP_RAS, 41, 0x100, 0x20 },
		{ TA_FW_TYPE_PSP_XGMI, 42, 0x200, 0x30 },
		{ TA_FW_TYPE_PSP_RAP, 43, 0x300, 0x40 },
	};

	h->ta_fw_bin_count = 3;
	memcpy(h->ta_fw_bin, entries, sizeof(entries));
	return common(&h->header, sizeof(*h), 2, 0);
}

static uint16_t sum(size_t from, size_t size)
{
	uint16_t sum = 0;

	for (size_t i = from; i < from + size; i++)
		sum += out[i];
	return sum;
}

static size_t discovery(void)
{
	AT(struct binary_header, h, 0);
	AT(struct ip_discovery_header, blocks, 0x100);
	AT(struct die_header, die, 0x200);
	AT(struct ip_v3, gc, 0x204);
	AT(uint32_t, harvest, 0x300);

	blocks->signature = 0x53445049;
	blocks->version = 3;
	blocks->num_dies = 1;
	blocks->die_info[0].die_offset = 0x200;
	die->num_ips = 1;
	gc->hw_id = 11;
	gc->instance_number = 2;
	gc->num_base_address = 2;
	gc->major = 9;
	gc->minor = 4;
	gc->revision = 3;
	gc->base_address[0] = 0x1111;
	gc->base_address[1] = 0x2222;
	harvest[0] = HARVEST_TABLE_SIGNATURE;
	harvest[2] = 12;
	h->binary_signature = 0x28211407;
	h->version_major = 1;
	h->binary_size = 0x400;
	h->table_list[IP_DISCOVERY] = (struct table_info) { 0x100, sum(0x100, 0x200), 0x200 };
	h->table_list[HARVEST_INFO] = (struct table_info) { 0x300, sum(0x300, 16), 16 };
	h->binary_checksum = sum(offsetof(struct binary_header, binary_size), 0x400 - 10);
	return 0x400;
}

int main(int argc, char **argv)
{
	static const struct { const char *name; size_t (*write)(void); } kinds[] = {
		{ "rom", rom }, { "metrics", metrics }, { "sos", sos }, { "mec", mec },
		{ "rlc", rlc }, { "ta", ta }, { "discovery", discovery },
	};

	if (argc == 2 && !strcmp(argv[1], "record"))
		return record();
	for (size_t i = 0; argc == 2 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t size;

		if (strcmp(argv[1], kinds[i].name))
			continue;
		size = kinds[i].write();
		return fwrite(out, 1, size, stdout) != size;
	}
	return 2;
}
